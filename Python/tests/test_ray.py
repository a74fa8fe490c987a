# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Models in actors of Ray, if it is installed: pip install "ray[data]"."""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tensorio
import tensorio.ray
from conftest import DIGITS, IMAGES, ROOT, Command, check_results

NAMES = (DIGITS / "assets/labels.txt").read_text().split()


@pytest.fixture(scope="module")
def data() -> Iterator[Any]:
    ray = pytest.importorskip("ray", reason="Ray isn't installed")
    variables = {"PYTHONPATH": os.pathsep.join(sys.path)}
    ray.init("local", num_cpus=2, include_dashboard=False, runtime_env={"env_vars": variables})
    yield pytest.importorskip("ray.data")
    ray.shutdown()


def test_results_equal_those_of_a_model(data: Any, digits: tensorio.Model, program: str) -> None:
    items = [*map(str, IMAGES), "missing.png"]
    dataset = data.from_items([{"item": item, "number": index} for index, item in enumerate(items)])
    predicted = tensorio.ray.predict(dataset, DIGITS, workers=2, batch_size=4, program=program)
    rows = sorted(predicted.take_all(), key=lambda row: int(row["number"]))
    check_results(rows, items, digits)


def test_a_column_says_what_ran_each_item(data: Any, program: str) -> None:
    dataset = data.from_items([{"item": str(IMAGES[0])}])
    (row,) = tensorio.ray.predict(dataset, DIGITS, program=program, accelerator="auto").take_all()
    assert list(row) == ["item", "digest", "outputs", "error", "accelerator"]
    assert row["accelerator"].startswith(("cpu (", "gpu"))


def test_an_actor_takes_a_processor_for_each_session_of_its_workers(
    data: Any, program: str, monkeypatch: pytest.MonkeyPatch,
) -> None:
    dataset = data.from_items([{"item": str(IMAGES[0])}])
    demanded: list[float] = []
    original = type(dataset).map_batches

    def map_batches(*arguments: Any, **options: Any) -> Any:
        demanded.append(options["num_cpus"])
        return original(*arguments, **options)

    monkeypatch.setattr(type(dataset), "map_batches", map_batches)
    assert tensorio.ray.predict(dataset, DIGITS, supervise=2, program=program).count() == 1
    assert tensorio.ray.predict(dataset, DIGITS, program=program).count() == 1
    assert demanded == [2, 1]


def test_items_without_a_label_are_evaluated_without_one(data: Any, program: str) -> None:
    labels = [*range(8), None, float("nan")]
    dataset = data.from_items([{"item": str(IMAGES[2 * index]), "label": label} for index, label in enumerate(labels)])
    report = tensorio.ray.evaluate(dataset, DIGITS, parts=2, program=program)
    assert report["models"][0]["labelled"] == 8
    assert sorted(row["truth"] for row in report["results"] if "truth" in row) == sorted(NAMES[:8])


def test_an_evaluation_equals_that_of_one_machine(
    data: Any, command: Command, program: str, tmp_path: Path,
) -> None:
    samples = [(str(path), NAMES[int(path.parent.name)])
               for path in sorted((ROOT / "Demo/digits-training").glob("*/*.png"))[::5]]
    samples.append((str(tmp_path / "missing, or so.png"), "two"))
    dataset = data.from_items([{"item": path, "label": label} for path, label in reversed(samples)])
    report = tensorio.ray.evaluate(dataset, DIGITS, parts=3, options=["--outputs", "none"], program=program)
    table = tmp_path / "labels.csv"
    with table.open("w", newline="") as file:
        csv.writer(file).writerows([("path", "label"), *sorted(samples)])
    expected = command.json("evaluate", table, "--model", DIGITS, "--outputs", "none")
    for key in ("metrics", "failed", "labelled", "model"):
        assert report["models"][0][key] == expected["models"][0][key]
    assert [row["image"] for row in report["results"]] == [row["image"] for row in expected["results"]]
    assert report["models"][0]["failed"] == 1
    with pytest.raises(Exception, match="'tensorio evaluate' ended with status 64.*--metrik"):
        tensorio.ray.evaluate(dataset, DIGITS, options=["--metrik", "top1"], program=program)
    with pytest.raises(tensorio.Error, match="The dataset is empty"):
        tensorio.ray.evaluate(dataset.limit(0), DIGITS, program=program)
