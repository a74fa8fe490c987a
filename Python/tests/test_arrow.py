# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Rows as tables of Arrow, if pyarrow is installed."""

from __future__ import annotations

import csv
import json
import math
import subprocess
from pathlib import Path

import pytest
import tensorio
import tensorio.arrow
from conftest import DIGITS, IMAGES
from tensorio._tables import with_results


def test_rows_become_a_parquet_file(digits: tensorio.Model, program: str, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow isn't installed")
    photos = [*map(str, IMAGES), "missing.png"]
    parquet.write_table(tensorio.arrow.table(digits.rows(photos)), tmp_path / "rows.parquet")
    table = parquet.read_table(tmp_path / "rows.parquet")
    found = table.to_pylist()
    output = tmp_path / "rows.csv"
    subprocess.run([program, "bulk", *IMAGES, "--model", DIGITS, "-o", output], check=True, capture_output=True)
    with output.open(newline="") as file:
        expected = list(csv.DictReader(file))
    # Without the truth, which only evaluations have, and the sum of the latencies.
    names = {*expected[0]} - {"truth", "correct", "total_ms"}
    assert {*table.column_names} == names | {"run", "outputs"}
    for row, other in zip(found[:-1], expected, strict=True):
        assert (row["image"], row["predicted"], row["index"]) == \
            (other["image"], other["predicted"], int(other["index"]))
        assert row["score"] == pytest.approx(float(other["score"]), rel=1e-6)
        assert json.loads(row["outputs"])["classification"][row["predicted"]] == row["score"]
        assert row["run"] == digits.run_id and row["error"] is False and row["inference_ms"] > 0
    assert found[-1]["error"] is True and "missing.png" in found[-1]["error_description"]
    assert [found[-1][name] for name in ("predicted", "score", "outputs", "inference_ms")] == [None] * 4


def test_scores_that_are_not_finite_are_numbers(digits: tensorio.Model) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow isn't installed")
    (row,) = digits.rows(IMAGES[:1])
    row["score"] = "NaN"
    table = tensorio.arrow.table([row, {**row, "score": "-Infinity"}, {**row, "score": 0.5}])
    nan, *others = table["score"].to_pylist()
    assert math.isnan(nan) and others == [-math.inf, 0.5]


def test_a_column_with_the_name_of_a_new_one_is_an_error(digits: tensorio.Model) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow isn't installed")
    table = pyarrow.table({"item": [str(IMAGES[0])], "error": ["an older one"]})
    with pytest.raises(ValueError, match="has a column 'error' already, but the results need the columns digest, out"):
        with_results(table, digits, "item", "outputs")


def test_no_rows_are_an_empty_table_with_the_same_columns(digits: tensorio.Model) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow isn't installed")
    empty = tensorio.arrow.table([])
    assert empty.num_rows == 0
    assert empty.schema == tensorio.arrow.table(digits.rows(IMAGES[:1])).schema
