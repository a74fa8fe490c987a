# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Results as columns of Arrow tables, for Ray and Spark."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from ._errors import ItemError, WorkerEnded
from ._model import Accelerator, Decode, Model, Path
from ._remote import RemoteModel

Answers = Literal["outputs", "row"]

_AHEAD = 32
"""The worker of a table gets so many more items than it can begin with."""

_MOST_IDLE_ENDS = 5
"""When this many workers in a row have ended without an item under way, the table fails."""

_MOST_KILLS = 5
"""An item runs again this many times although its worker was killed, which usually comes from outside."""


def table_model(
    bundle: Path | RemoteModel, threads: int, supervise: int | None, program: Path | None, timeout: float | None,
    decode: Decode, accelerator: Accelerator = "cpu",
) -> Model:
    """Returns the model of an actor or a partition, which replaces its worker itself.

    Only a supervisor stops a run that takes too long. Otherwise none is needed, and every item would pass
    through one more process.
    """
    if supervise is None and timeout is not None:
        supervise = 1
    return Model(bundle, threads=threads, supervise=supervise, program=program, timeout=timeout, decode=decode,
                 ahead=_AHEAD if supervise is None else 0, accelerator=accelerator)


def check_answer(answer: str) -> None:
    """Raises ValueError if a table can't have such answers."""
    if answer not in ("outputs", "row"):
        raise ValueError(f"'answer' is {answer!r}, but must be 'outputs' or 'row'.")


def with_results(table: Any, model: Model, column: str, answer: Answers) -> Any:
    """Returns an Arrow table with the results of the items in a column.

    The new columns are texts: ``digest``, as ``Model.digest`` returns it; ``outputs`` or ``row``, the
    answer as JSON; and ``error``, which is null if the item didn't fail. If the model may run on an accelerator,
    ``accelerator`` says what ran it.

    Raises:
        ValueError: The table lacks the column, or has one with the name of a new one.
        WorkerEnded: Workers end before they get an item.
        Error: The worker can't be started.
    """
    import pyarrow  # type: ignore[import-not-found,import-untyped,unused-ignore]

    if column not in table.column_names:
        raise ValueError(f"The table has no column '{column}'. Pass the name of the column with the items, one of "
                         f"{', '.join(table.column_names)}.")
    check_names(table.column_names, answer, model._accelerator)
    results = _results(model, table[column].to_pylist(), answer)
    columns = [
        [model.digest] * len(results), [result.text for result in results], [result.error for result in results],
        [result.accelerator for result in results]]
    # The names come without the last one if the model may not run on an accelerator.
    for name, values in zip(new_columns(answer, model._accelerator), columns):
        table = table.append_column(name, pyarrow.array(values, pyarrow.string()))
    return table


def new_columns(answer: str, accelerator: str) -> list[str]:
    """Returns the names of the columns that ``with_results`` adds."""
    return ["digest", answer, "error"] + (["accelerator"] if accelerator != "cpu" else [])


def check_names(names: Sequence[str], answer: str, accelerator: str) -> None:
    """Raises ValueError if one of a table's columns has the name of a new one."""
    taken = [name for name in new_columns(answer, accelerator) if name in names]
    if taken:
        raise ValueError(f"The table has a column '{taken[0]}' already, but the results need the columns "
                         f"{', '.join(new_columns(answer, accelerator))}. Rename it or leave it out.")


class _TableResult(NamedTuple):
    """The answer as JSON, or the error, and what ran the item."""

    text: str | None
    error: str | None
    accelerator: str | None = None


def _results(model: Model, items: list[object], answer: str) -> list[_TableResult]:
    """Returns the result of each item.

    If the worker ends, the items that were under way run again in another one, each alone. An item that ends
    its worker alone, too, fails.
    """
    found: dict[int, _TableResult] = {}
    suspects: list[int] = []
    ends: collections.Counter[int] = collections.Counter()
    idle_ends = 0
    while len(found) < len(items):
        left = suspects[:1] or [index for index in range(len(items)) if index not in found]
        try:
            for result in model._results([items[index] for index in left], answer, is_ordered=False, raises=False,
                                         as_text=True):
                text, error = result.value if result.error is None else (None, str(result.error))
                found[left[result.index]] = _TableResult(text, error, result.accelerator)
        except WorkerEnded as end:
            lost = {id(item) for item in end.items}
            under_way = [index for index in left if index not in found and id(items[index]) in lost]
            idle_ends = 0 if under_way else idle_ends + 1
            if idle_ends == _MOST_IDLE_ENDS:
                raise
            ends.update(under_way)
            if suspects and under_way:
                count = ends[suspects[0]]
                if end.signal != "SIGKILL" or count > _MOST_KILLS:
                    found[suspects[0]] = _TableResult(None, str(ItemError(
                        "worker_ended", f"The item ended the worker {count} times. {end.reason}")))
            elif not suspects:
                suspects = under_way
        suspects = [index for index in suspects if index not in found]
    return [found[index] for index in range(len(items))]
