# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Results as columns of Arrow tables, for Ray and Spark."""

from __future__ import annotations

import json
from typing import Any

from ._model import Model


def with_results(table: Any, model: Model, column: str) -> Any:
    """Returns an Arrow table with the results of the items in a column.

    The new columns are texts: ``digest``, the SHA-256 of the model's files; ``outputs``, the outputs as
    JSON; and ``error``. Either of the last two is null.

    Raises:
        ValueError: The table lacks the column.
    """
    import pyarrow  # type: ignore[import-not-found,import-untyped,unused-ignore]

    if column not in table.column_names:
        raise ValueError(f"The table has no column '{column}'. Pass the name of the column with the items, one of "
                         f"{', '.join(table.column_names)}.")
    outputs: list[str | None] = []
    errors: list[str | None] = []
    for result in model.map(table[column].to_pylist(), errors="return"):
        outputs.append(None if result.error else json.dumps(result.value, default=_numbers))
        errors.append(str(result.error) if result.error else None)
    digests = [model.digest] * len(outputs)
    for name, values in (("digest", digests), ("outputs", outputs), ("error", errors)):
        table = table.append_column(name, pyarrow.array(values, pyarrow.string()))
    return table


def _numbers(array: Any) -> Any:
    return array.tolist()
