# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Runs models on the datasets of Ray Data."""

from __future__ import annotations

from typing import Any

from ._model import Model, Path
from ._tables import with_results


def predict(
    dataset: Any, bundle: Path, *, column: str = "item", workers: int = 1, batch_size: int = 64,
    threads: int = 1, supervise: int | None = None, program: Path | None = None, timeout: float | None = None,
) -> Any:
    """Runs a model on a column of a dataset, in actors that keep their model.

    An item that fails has a row with its error. The package and the bundle must be on every node.

    Args:
        dataset: A ``ray.data.Dataset``.
        bundle: The path of a bundle.
        column: The column of the items, such as paths, URLs or bytes.
        workers: The number of actors.
        batch_size: The number of rows that an actor gets at once.
        threads: The number of items that run at once in each actor, which takes as many processors.
        supervise, program, timeout: As in ``Model``.

    Returns:
        A dataset with three more columns: ``digest``, the SHA-256 of the model's files; ``outputs``, the
        outputs as JSON; and ``error``. Either of the last two is null. The item and the digest together
        identify a result.
    """
    model = Model(bundle, threads=threads, supervise=supervise, program=program, timeout=timeout)
    return dataset.map_batches(
        _Predictor, fn_constructor_kwargs={"model": model, "column": column}, batch_size=batch_size,
        batch_format="pyarrow", concurrency=workers, num_cpus=threads)


class _Predictor:
    """An actor's model."""

    def __init__(self, model: Model, column: str):
        self._model = model
        self._column = column

    def __call__(self, table: Any) -> Any:
        return with_results(table, self._model, self._column)
