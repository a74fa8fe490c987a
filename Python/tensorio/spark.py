# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Runs models on the data frames of Spark."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from ._model import Model, Path
from ._tables import with_results


def predict(
    frame: Any, bundle: Path, *, column: str = "item", threads: int = 1, supervise: int | None = None,
    program: Path | None = None, timeout: float | None = None,
) -> Any:
    """Runs a model on a column of a data frame, in a worker for each partition that is computed.

    An item that fails has a row with its error. The package and the bundle must be on every executor.

    Args:
        frame: A ``pyspark.sql.DataFrame``.
        bundle: The path of a bundle.
        column: The column of the items, such as paths, URLs or bytes.
        threads: The number of items that run at once in each worker.
        supervise, program, timeout: As in ``Model``.

    Returns:
        A data frame with three more columns: ``digest``, the SHA-256 of the model's files; ``outputs``, the
        outputs as JSON; and ``error``. Either of the last two is null. The item and the digest together
        identify a result.
    """
    model = Model(bundle, threads=threads, supervise=supervise, program=program, timeout=timeout)

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow  # type: ignore[import-not-found,import-untyped,unused-ignore]

        with model:
            for batch in batches:
                yield from with_results(pyarrow.Table.from_batches([batch]), model, column).to_batches()

    schema = copy.deepcopy(frame.schema)
    for name in ("digest", "outputs", "error"):
        schema = schema.add(name, "string")
    return frame.mapInArrow(run, schema)
