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
from pathlib import Path
from typing import Any

import pytest
import tensorio
import tensorio.spark
from conftest import DIGITS, IMAGES, check_results


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
    check_results(rows, items, digits)


def test_rows_are_those_of_a_model(spark: Any, digits: tensorio.Model, program: str) -> None:
    frame = spark.createDataFrame([(str(item),) for item in IMAGES], ["item"]).repartition(1)
    predicted = tensorio.spark.predict(frame, DIGITS, program=program, answer="row").collect()
    found = {row["item"]: json.loads(row["row"]) for row in predicted}
    for row in digits.rows(map(str, IMAGES)):
        other = found[row["image"]]
        for name in ("image", "run", "model", "predicted", "score", "error"):
            assert other[name] == row[name]
        assert other["evaluation"]["inference_results"] == row["evaluation"]["inference_results"]
    with pytest.raises(ValueError, match="'answer' is 'rows', but must be 'outputs' or 'row'"):
        tensorio.spark.predict(frame, DIGITS, answer="rows")  # type: ignore[arg-type]


def test_a_column_says_what_ran_each_item(spark: Any, program: str) -> None:
    frame = spark.createDataFrame([(str(IMAGES[0]),), ("missing.png",)], ["item"]).repartition(1)
    predicted = tensorio.spark.predict(frame, DIGITS, program=program, accelerator="auto")
    assert predicted.columns == ["item", "digest", "outputs", "error", "accelerator"]
    found = {row["item"]: row["accelerator"] for row in predicted.collect()}
    assert found[str(IMAGES[0])].startswith(("cpu (", "gpu"))


def test_a_model_that_cannot_be_loaded_fails_the_job(spark: Any, broken: Path, program: str) -> None:
    frame = spark.createDataFrame([(str(item),) for item in IMAGES], ["item"]).repartition(2)
    with pytest.raises(Exception, match="is not a valid TensorFlow Lite model"):
        tensorio.spark.predict(frame, broken, program=program).collect()
