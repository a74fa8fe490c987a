# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Runs models on the data frames of Spark."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from ._model import Accelerator, Decode, Path
from ._remote import RemoteModel
from ._tables import Answers, check_answer, check_names, new_columns, table_model, with_results


def predict(
    frame: Any, bundle: Path | RemoteModel, *, column: str = "item", threads: int = 1, supervise: int | None = None,
    program: Path | None = None, timeout: float | None = None, decode: Decode = "exact",
    accelerator: Accelerator = "cpu", answer: Answers = "outputs",
) -> Any:
    """Runs a model on a column of a data frame, in a worker for each partition that is computed.

    An item that fails has a row with its error. The package and the bundle must be on every executor.

    Args:
        frame: A ``pyspark.sql.DataFrame``.
        bundle: The path of a bundle, or a ``HostedModel`` or ``ZippedModel``, of which every machine gets
            the same version.
        column: The column of the items, such as paths, URLs or bytes.
        threads: The number of items that run at once in each worker.
        supervise, program, timeout, decode, accelerator: As in ``Model``. A worker that ends is replaced in any case.
        answer: ``outputs``, or ``row`` for the rows that `tensorio bulk` writes.

    Returns:
        A data frame with three more columns: ``digest``, as ``Model.digest`` returns it; ``outputs`` or
        ``row``, the answer as JSON; and ``error``, which is null if the item didn't fail. With an accelerator,
        ``accelerator`` is what ran the item. The item and the digest together identify a result.
    """
    check_answer(answer)
    check_names(frame.columns, answer, accelerator)
    if isinstance(bundle, RemoteModel):
        bundle = bundle.pinned(program)
    model = table_model(bundle, threads, supervise, program, timeout, decode, accelerator)

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow  # type: ignore[import-not-found,import-untyped,unused-ignore]

        with model:
            for batch in batches:
                yield from with_results(pyarrow.Table.from_batches([batch]), model, column, answer).to_batches()

    schema = copy.deepcopy(frame.schema)
    for name in new_columns(answer, accelerator):
        schema = schema.add(name, "string")
    return frame.mapInArrow(run, schema)
