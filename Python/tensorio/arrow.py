# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Rows as tables of Arrow, for Parquet files and for libraries that read such tables."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ._arrays import read_number

_TEXTS = ("model", "run", "image", "type", "test_bundle", "predicted", "error_description")
_LATENCIES = {"decode_ms": "decode_latency", "preprocess_ms": "preprocessor_latency",
              "inference_ms": "inference_latency", "postprocess_ms": "postprocess_latency"}


def table(rows: Iterable[dict[str, Any]]) -> Any:
    """Returns rows, such as those of ``Model.rows`` or of `tensorio bulk`, as a table of Arrow.

    The columns are always the same ones, and have the names that `tensorio bulk` gives them in CSV files.
    ``outputs`` has the outputs of the row as JSON. What a row lacks is null.

    Returns:
        A ``pyarrow.Table``.
    """
    import pyarrow  # type: ignore[import-not-found,import-untyped,unused-ignore]

    schema = pyarrow.schema(
        [(name, pyarrow.string()) for name in _TEXTS] + [("index", pyarrow.int64()), ("error", pyarrow.bool_())]
        + [(name, pyarrow.float64()) for name in ("score", *_LATENCIES)] + [("outputs", pyarrow.string())])
    return pyarrow.Table.from_pylist([_columns(row) for row in rows], schema)


def _columns(row: dict[str, Any]) -> dict[str, Any]:
    evaluation = row.get("evaluation", {})
    outputs = evaluation.get("inference_results")
    return {
        **row, "score": read_number(row.get("score")),
        **{name: read_number(evaluation.get(key)) for name, key in _LATENCIES.items()},
        "outputs": None if outputs is None else json.dumps(outputs, ensure_ascii=False, separators=(",", ":")),
    }
