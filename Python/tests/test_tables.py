# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""How the tables of Ray and Spark go on when workers end. This needs neither of them, nor Arrow."""

from __future__ import annotations

import json
import os
import signal
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorio
import tensorio.spark
from conftest import DIGITS, IMAGES
from tensorio._evaluation import label_text
from tensorio._tables import _MOST_KILLS, _results, table_model

POISON = [-(2**31), -1]
"""The model 'remainder' ends its process at these numbers."""


@pytest.mark.parametrize("threads", [1, 4])
def test_what_ends_the_worker_is_named_and_the_rest_has_results(program: str, bundle_of: Any, threads: int) -> None:
    items: list[object] = [[index, 3] for index in range(40)]
    for index in (0, 21, 22, 39):
        items[index] = list(POISON)
    with table_model(bundle_of("remainder"), threads, None, program, None, "exact") as model:
        for index, (text, error, _) in enumerate(_results(model, items, "outputs")):
            if items[index] == POISON:
                assert text is None and error is not None and "worker_ended" in error and "SIGFPE" in error
            else:
                assert error is None and text is not None and json.loads(text) == {"y": index % 3}


def test_a_killed_worker_loses_nothing(program: str, digits: tensorio.Model) -> None:
    items: list[object] = [str(image) for image in IMAGES] * 40
    expected = [result.text for result in _results(digits, items, "outputs")]
    is_over = threading.Event()
    with table_model(DIGITS, 2, None, program, None, "exact") as model:
        kills = 0

        def kill() -> None:
            nonlocal kills
            while not is_over.wait(0.15) and kills < _MOST_KILLS:
                worker = model._worker
                if worker is not None and not worker.has_ended:
                    os.kill(worker.description["pid"], signal.SIGKILL)
                    kills += 1

        thread = threading.Thread(target=kill)
        thread.start()
        try:
            found = _results(model, items, "outputs")
        finally:
            is_over.set()
            thread.join()
    assert kills and [(result.text, result.error) for result in found] == [(text, None) for text in expected]


def test_spark_names_such_a_column_before_the_job() -> None:
    class Frame:
        columns = ("item", "digest")

    with pytest.raises(ValueError, match="has a column 'digest' already"):
        tensorio.spark.predict(Frame(), DIGITS)


def test_labels_are_names_and_numbers_of_classes() -> None:
    values = [None, float("nan"), np.float32("nan"), 1.0, np.float64(2), 3, np.int8(4), 0.5, True, "NaN", "1.0"]
    assert [label_text(value) for value in values] == \
        ["", "", "", "1", "2", "3", "4", "0.5", "1", "NaN", "1.0"]
    with pytest.raises(ValueError, match="is neither text nor a number"):
        label_text([1])


def test_a_model_that_cannot_run_is_named(program: str, bundle_of: Any, broken: Path) -> None:
    image = np.zeros((1, 4, 4, 1), dtype="float32")
    with table_model(bundle_of("crash_on_run"), 1, None, program, None, "exact") as model:
        results = _results(model, [image, image.copy(), image.copy()], "outputs")
        assert [result.text for result in results] == [None] * 3
        assert all("worker_ended" in str(result.error) for result in results)
    with pytest.raises(tensorio.Error, match="endless_graphs.*is not a valid TensorFlow Lite model"), \
            table_model(broken, 1, None, program, None, "exact"):
        pass
