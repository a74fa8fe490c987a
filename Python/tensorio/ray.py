# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Runs and evaluates models on the datasets of Ray Data."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ._evaluation import evaluate_part, label_table, label_text, merge
from ._model import Accelerator, Decode, Model, Path
from ._program import find_program
from ._remote import RemoteModel
from ._tables import Answers, check_answer, table_model, with_results


def predict(
    dataset: Any, bundle: Path | RemoteModel, *, column: str = "item", workers: int = 1, batch_size: int = 64,
    threads: int = 1, supervise: int | None = None, program: Path | None = None, timeout: float | None = None,
    decode: Decode = "exact", accelerator: Accelerator = "cpu", answer: Answers = "outputs",
) -> Any:
    """Runs a model on a column of a dataset, in actors that keep their model.

    An item that fails has a row with its error. The package and the bundle must be on every node.

    Args:
        dataset: A ``ray.data.Dataset``.
        bundle: The path of a bundle, or a ``HostedModel`` or ``ZippedModel``, of which every machine gets
            the same version.
        column: The column of the items, such as paths, URLs or bytes.
        workers: The number of actors.
        batch_size: The number of rows that an actor gets at once.
        threads: The number of items that run at once in each worker. An actor takes as many processors, times the
            number of its supervised workers.
        supervise, program, timeout, decode, accelerator: As in ``Model``. A worker that ends is replaced in any case.
        answer: ``outputs``, or ``row`` for the rows that `tensorio bulk` writes.

    Returns:
        A dataset with three more columns: ``digest``, as ``Model.digest`` returns it; ``outputs`` or
        ``row``, the answer as JSON; and ``error``, which is null if the item didn't fail. With an accelerator,
        ``accelerator`` is what ran the item. The item and the digest together identify a result.
    """
    import ray.data  # type: ignore[import-not-found,import-untyped,unused-ignore]

    check_answer(answer)
    if isinstance(bundle, RemoteModel):
        bundle = bundle.pinned(program)
    model = table_model(bundle, threads, supervise, program, timeout, decode, accelerator)
    return dataset.map_batches(
        _Predictor, fn_constructor_kwargs={"model": model, "column": column, "answer": answer},
        batch_size=batch_size, batch_format="pyarrow", compute=ray.data.ActorPoolStrategy(size=workers),
        num_cpus=threads * (supervise or 1))


def evaluate(
    dataset: Any, bundle: Path | RemoteModel, *, column: str = "item", labels: str = "label", parts: int = 2,
    threads: int = 1, options: Sequence[str] = (), program: Path | None = None,
) -> dict[str, Any]:
    """Evaluates a model on labelled files of a dataset, in one task for each part.

    Each task runs `tensorio evaluate --part`, and `tensorio merge` merges the reports on this machine. The
    metrics are those of `tensorio evaluate` on one machine, to the last digit.

    Args:
        dataset: A ``ray.data.Dataset``. Its paths and labels are collected on this machine. The files must be
            on every node.
        bundle: As in ``predict``.
        column: The column of the paths. They are absolute.
        labels: The column of the labels: texts or numbers, or None or NaN for items without one.
        parts: The number of tasks.
        threads: The number of items that run at once in each task, which takes as many processors.
        options: More options of `tensorio evaluate`, such as ``["--metric", "top1"]``.
        program: As in ``Model``.

    Returns:
        The report, as `tensorio evaluate --report report.json` writes it.

    Raises:
        Error: A part can't be evaluated.
    """
    import ray  # type: ignore[import-not-found,import-untyped,unused-ignore]

    if isinstance(bundle, RemoteModel):
        bundle = bundle.pinned(program)
    else:
        bundle = os.path.abspath(os.fspath(bundle))
    table = ray.put(label_table(
        (str(row[column]), label_text(row[labels])) for row in dataset.select_columns([column, labels]).iter_rows()))
    task = ray.remote(num_cpus=threads, max_retries=-1)(_evaluate_part)
    reports = ray.get([
        task.remote(program, table, bundle, index + 1, parts, threads, tuple(options)) for index in range(parts)])
    return merge(find_program(program), reports)


def _evaluate_part(
    program: Path | None, table: bytes, bundle: str | RemoteModel, index: int, count: int, threads: int,
    options: Sequence[str],
) -> bytes:
    path = bundle.fetch(program) if isinstance(bundle, RemoteModel) else bundle
    return evaluate_part(find_program(program), table, path, index, count, threads, options)


class _Predictor:
    """An actor's model."""

    def __init__(self, model: Model, column: str, answer: Answers):
        self._model = model
        self._column = column
        self._answer: Answers = answer

    def __call__(self, table: Any) -> Any:
        return with_results(table, self._model, self._column, self._answer)
