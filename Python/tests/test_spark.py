# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Models in tasks of Spark, if it is installed: pip install pyspark pyarrow pandas; it needs Java 17."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import tensorio
import tensorio.spark
from conftest import DIGITS, IMAGES


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    sql = pytest.importorskip("pyspark.sql", reason="Spark isn't installed")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false") \
        .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1") \
        .config("spark.executorEnv.PYTHONPATH", os.pathsep.join(sys.path)).getOrCreate()
    yield session
    session.stop()


def test_results_equal_those_of_a_model(spark: Any, digits: tensorio.Model, program: str) -> None:
    items = [*map(str, IMAGES), "missing.png"]
    frame = spark.createDataFrame(list(zip(items, range(len(items)), strict=True)), ["item", "number"])
    predicted = tensorio.spark.predict(frame.repartition(3), DIGITS, program=program)
    rows = predicted.orderBy("number").collect()
    assert [row["item"] for row in rows] == items
    assert {row["digest"] for row in rows} == {digits.digest}
    expected = [result.value for result in digits.map(IMAGES)]
    assert [json.loads(row["outputs"]) for row in rows[:-1]] == expected
    assert [row["error"] for row in rows[:-1]] == [None] * len(IMAGES)
    assert rows[-1]["outputs"] is None and "fileNotFound" in rows[-1]["error"]
