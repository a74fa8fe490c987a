# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""What the tests of the package share. They run the real program on the bundles in Demo.

    python -m pytest Python/tests -o pythonpath=Python --program .build/debug/tensorio

Without --program, the tests run the program that was installed with the package.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tensorio
from tensorio._program import find_program

ROOT = Path(__file__).resolve().parents[2]
DIGITS = ROOT / "Demo/digits.tiobundle"
IMAGES = sorted((ROOT / "Demo/images").glob("*.png"))
SEVEN = ROOT / "Demo/images/digit-7-01.png"
MODELS = ROOT / "Tests/Fixtures/Models"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--program", help="the program 'tensorio' to test")
    parser.addoption("--items", type=int, default=400, help="the number of items of test_kills.py")
    parser.addoption("--kills", type=int, default=5, help="the most kills in each test of test_kills.py")
    parser.addoption("--every", type=float, default=0.5, help="the mean seconds between the kills")


@pytest.fixture(scope="session")
def program(request: pytest.FixtureRequest) -> str:
    """The path of the program."""
    return find_program(request.config.getoption("--program"))


@pytest.fixture(scope="session")
def digits(program: str) -> Iterator[tensorio.Model]:
    """A model that many tests share. None of them may end its worker."""
    with tensorio.Model(DIGITS, program=program) as model:
        yield model


class Command:
    """Runs the program's commands."""

    def __init__(self, program: str):
        self.program = program

    def json(self, *arguments: object) -> Any:
        """Returns what a command prints."""
        result = subprocess.run(
            [self.program, *map(str, arguments), "--json"], stdout=subprocess.PIPE, check=True)
        return json.loads(result.stdout)


@pytest.fixture(scope="session")
def command(program: str) -> Command:
    return Command(program)


@pytest.fixture(scope="session")
def bundle_of(program: str, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Makes a bundle of a model in Tests/Fixtures/Models."""
    made: dict[str, Path] = {}

    def make(name: str) -> Path:
        if name not in made:
            path = tmp_path_factory.mktemp("bundles") / f"{name}.tiobundle"
            subprocess.run([program, "init", MODELS / f"{name}.tflite", "-o", path],
                           check=True, capture_output=True)
            made[name] = path
        return made[name]

    return make


def write_bundle(folder: Path, model: str, layer: dict[str, Any], output: dict[str, Any]) -> Path:
    """Makes a bundle of a model in Tests/Fixtures/Models that `init` can't describe."""
    bundle = folder / f"{model}.tiobundle"
    bundle.mkdir()
    shutil.copy(MODELS / f"{model}.tflite", bundle / "model.tflite")
    (bundle / "model.json").write_text(json.dumps({
        "name": model, "details": "", "id": model, "version": "1", "author": "", "license": "",
        "model": {"file": "model.tflite", "quantized": False}, "inputs": [layer], "outputs": [output]}))
    return bundle


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A bundle whose model would end every process that loads it."""
    return write_bundle(tmp_path, "endless_graphs", {"name": "x", "type": "array", "shape": [1]},
                        {"name": "y", "type": "array", "shape": [1]})


def check_results(rows: list[Any], items: list[str], digits: tensorio.Model) -> None:
    """Checks the rows that Ray or Spark made of the images and of a file that is missing."""
    assert [row["item"] for row in rows] == items
    assert {row["digest"] for row in rows} == {digits.digest}
    expected = [result.value for result in digits.map(IMAGES)]
    assert [json.loads(row["outputs"]) for row in rows[:-1]] == expected
    assert [row["error"] for row in rows[:-1]] == [None] * len(IMAGES)
    assert rows[-1]["outputs"] is None and "fileNotFound" in rows[-1]["error"]
