# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Results as columns of Arrow tables, for Ray and Spark."""

from __future__ import annotations

from typing import Any, Literal

from ._errors import WorkerEnded
from ._model import Model

Answers = Literal["outputs", "row"]

_MOST_ENDS = 5
"""So many supervisors in a row may be killed before any of them has answered an item."""


def check_answer(answer: str) -> None:
    """Raises ValueError if a table can't have such answers."""
    if answer not in ("outputs", "row"):
        raise ValueError(f"'answer' is {answer!r}, but must be 'outputs' or 'row'.")


def with_results(table: Any, model: Model, column: str, answer: Answers) -> Any:
    """Returns an Arrow table with the results of the items in a column.

    The new columns are texts: ``digest``, the SHA-256 of the model's files; ``outputs`` or ``row``, the
    answer as JSON; and ``error``, which is null if the item didn't fail.

    Raises:
        ValueError: The table lacks the column.
        WorkerEnded: Workers end before they answer anything.
        Error: The worker can't be started.
    """
    import pyarrow  # type: ignore[import-not-found,import-untyped,unused-ignore]

    if column not in table.column_names:
        raise ValueError(f"The table has no column '{column}'. Pass the name of the column with the items, one of "
                         f"{', '.join(table.column_names)}.")
    results = _results(model, table[column].to_pylist(), answer)
    texts = [text for text, _ in results]
    errors = [error for _, error in results]
    digests = [model.digest] * len(results)
    for name, values in (("digest", digests), (answer, texts), ("error", errors)):
        table = table.append_column(name, pyarrow.array(values, pyarrow.string()))
    return table


def _results(model: Model, items: list[object], answer: str) -> list[tuple[str | None, str | None]]:
    """Returns the answer and the error of each item. If the worker is killed, the rest runs in another one."""
    found: dict[int, tuple[str | None, str | None]] = {}
    ends = 0
    while len(found) < len(items):
        left = [index for index in range(len(items)) if index not in found]
        try:
            for result in model._results([items[index] for index in left], answer, is_ordered=False, raises=False,
                                         as_text=True):
                found[left[result.index]] = result.value if result.error is None else (None, str(result.error))
        except WorkerEnded:
            ends = 0 if len(left) > len(items) - len(found) else ends + 1
            if ends == _MOST_ENDS:
                raise
    return [found[index] for index in range(len(items))]
