# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Models in actors of Ray, if it is installed: pip install "ray[data]"."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import tensorio
import tensorio.ray
from conftest import DIGITS, IMAGES, check_results


@pytest.fixture(scope="module")
def data() -> Iterator[Any]:
    ray = pytest.importorskip("ray", reason="Ray isn't installed")
    variables = {"PYTHONPATH": os.pathsep.join(sys.path)}
    ray.init(num_cpus=2, include_dashboard=False, runtime_env={"env_vars": variables})
    yield pytest.importorskip("ray.data")
    ray.shutdown()


def test_results_equal_those_of_a_model(data: Any, digits: tensorio.Model, program: str) -> None:
    items = [*map(str, IMAGES), "missing.png"]
    dataset = data.from_items([{"item": item, "number": index} for index, item in enumerate(items)])
    predicted = tensorio.ray.predict(dataset, DIGITS, workers=2, batch_size=4, program=program)
    rows = sorted(predicted.take_all(), key=lambda row: int(row["number"]))
    check_results(rows, items, digits)
