# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""A model, as programs use it."""

from __future__ import annotations

import contextlib
import math
import os
import threading
import weakref
from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, overload

from ._program import digest_of, find_program
from ._remote import RemoteModel
from ._results import Result, Row, Stream, read_answer, read_text
from ._worker import Answer, Worker

if TYPE_CHECKING:
    from ._arrays import Array

Path = str | os.PathLike[str]
Errors = Literal["raise", "return"]
Decode = Literal["exact", "high", "fast"]
Accelerator = Literal["auto", "cpu", "gpu"]


class Model:
    """A model that runs in a worker: a process of the program ``tensorio``.

    The worker starts when it is needed. It ends with the ``with`` statement, with ``close()``, when the
    model is garbage, or with this process. Any thread may use the model. A pickled model has only its
    arguments, and a process that is forked starts a worker of its own::

        with tensorio.Model("digits.tiobundle") as model:
            print(model.run("seven.png")["classification"])

    An item is a path, a URL, ``bytes``, a file that is open for reading bytes, an image of Pillow, a NumPy
    array, a number, a list, or a dict of such values by input, or by column. For models of texts, a string is the text.
    The bytes of files are those of images, recordings or ``.npy`` files.
    """

    def __init__(
        self, bundle: Path | RemoteModel, *, threads: int | None = None, supervise: int | None = None,
        program: Path | None = None, timeout: float | None = None, decode: Decode = "exact", ahead: int = 0,
        accelerator: Accelerator = "cpu",
    ):
        """Args:
            bundle: The path of a bundle, a folder ``NAME.tiobundle``, or a ``HostedModel`` or ``ZippedModel``.
            threads: The number of items that run at once; by default that of processors.
            supervise: Runs this many workers. If one of them ends, its items run again, and an item that
                ends a worker twice fails with the code ``worker_ended``.
            program: The program ``tensorio``; by default the one that was installed with this package,
                or the first one on PATH.
            timeout: The most seconds for an item, from when the worker has read it. It then fails with
                the code ``timed_out``. Only a supervisor also stops the run, which otherwise goes on.
            decode: How JPEG files are decoded, as `tensorio run --decode` says: ``exact``, or with less work for
                large photos and values that differ a little, ``high`` or ``fast``.
            ahead: Sends the worker this many more items at once, and takes their answers together, which lessens
                the cost of each. A result then comes up to 20 ms later, and an iterable is read so much further.
            accelerator: What runs a model of TensorFlow Lite: ``cpu``; ``gpu``, which is an error if the GPU can't be
                trusted; or ``auto``, which then uses the CPU and logs why. Documentation/LiteRT.md describes the trial.

        Raises:
            ValueError: An argument is out of its range.
        """
        for name, number in (("threads", threads), ("supervise", supervise)):
            if number is not None and number < 1:
                raise ValueError(f"'{name}' is {number}, but must be at least 1.")
        if not 0 <= ahead <= 4096:
            raise ValueError(f"'ahead' is {ahead}, but must be from 0 to 4096.")
        if ahead and (supervise is not None or timeout is not None):
            raise ValueError("'ahead' can't be combined with 'supervise' or 'timeout', because the items that wait "
                             "would have to run again or take too long.")
        if decode not in ("exact", "high", "fast"):
            raise ValueError(f"'decode' is {decode!r}, but must be 'exact', 'high' or 'fast'.")
        if accelerator not in ("auto", "cpu", "gpu"):
            raise ValueError(f"'accelerator' is {accelerator!r}, but must be 'auto', 'cpu' or 'gpu'.")
        if timeout is not None and not (timeout > 0 and math.isfinite(timeout)):
            raise ValueError(f"'timeout' is {timeout}, but must be a number of seconds above 0.")
        self._bundle = bundle if isinstance(bundle, RemoteModel) else os.path.abspath(os.fspath(bundle))
        self._threads = threads
        self._supervise = supervise
        self._program = None if program is None else os.fspath(program)
        self._timeout = timeout
        self._decode = decode
        self._ahead = ahead
        self._accelerator = accelerator
        self._starting = threading.Lock()
        self._worker: Worker | None = None
        self._ending: weakref.finalize[[], Model] | None = None
        with _FORKING:
            _MODELS.add(self)

    def __enter__(self) -> Model:
        self._running()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None,
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return _make, (self._bundle, {
            "threads": self._threads, "supervise": self._supervise, "program": self._program, "timeout": self._timeout,
            "decode": self._decode, "ahead": self._ahead, "accelerator": self._accelerator})

    def __repr__(self) -> str:
        return f"tensorio.Model({self._bundle!r})"

    def close(self) -> None:
        """Ends the worker. Items that are under way in other threads fail with WorkerEnded.

        The model can be used again, which starts another worker.
        """
        with self._starting:
            worker = self._detach()
        if worker is not None:
            worker.close()

    # Running

    def run(self, item: object) -> dict[str, Any]:
        """Runs the model on an item.

        Returns:
            The outputs by name, as `tensorio run --json` prints them: a dict of labels and scores, a number,
            a list of objects, and so on. Arrays of numbers are NumPy arrays in the shape that model.json
            gives.

        Raises:
            ItemError: The item failed.
            WorkerEnded: The worker ended.
            Error: The worker can't be started.
        """
        value: dict[str, Any] = self._answer(item, "outputs")
        return value

    def tensors(self, item: object) -> dict[str, Array]:
        """Runs the model on an item, and returns the model's own output tensors by name.

        The errors are those of ``run``.
        """
        value: dict[str, Array] = self._answer(item, "tensors")
        return value

    def input_tensors(self, item: object) -> dict[str, Array]:
        """Returns the tensors that the model would get for an item, by name. The model isn't run.

        The windows of a recording that is longer than one are the first axis.

        The errors are those of ``run``.
        """
        value: dict[str, Array] = self._answer(item, "inputs")
        return value

    def preprocess(self, item: object) -> Array:
        """Returns the tensor that a model with one input would get for an item. The model isn't run.

        Raises:
            ValueError: The model has several inputs.
            ItemError, WorkerEnded, Error: As in ``run``.
        """
        names = [layer["name"] for layer in self.inputs]
        if len(names) != 1:
            raise ValueError(f"The model has the inputs {', '.join(names)}. Use input_tensors(), which returns "
                             "them by name.")
        return self.input_tensors(item)[names[0]]

    @overload
    def map(
        self, items: Iterable[object], *, answer: Literal["outputs"] = "outputs", ordered: bool = True,
        errors: Errors = "raise",
    ) -> Iterator[Result[dict[str, Any]]]: ...

    @overload
    def map(
        self, items: Iterable[object], *, answer: Literal["tensors", "inputs"], ordered: bool = True,
        errors: Errors = "raise",
    ) -> Iterator[Result[dict[str, Array]]]: ...

    def map(
        self, items: Iterable[object], *, answer: Literal["outputs", "tensors", "inputs"] = "outputs",
        ordered: bool = True, errors: Errors = "raise",
    ) -> Iterator[Result[dict[str, Any]]]:
        """Runs the model on many items, several at once.

        Items are taken from the iterable as results are taken from the iterator, a few items ahead. The
        iterable may be endless, and the memory doesn't grow with it. While this thread waits for the
        iterable's next item, it returns no result: for items that come seldom, use ``run``.

        Args:
            items: The items, in one iterable that this thread reads.
            answer: What each value is: ``outputs`` as in ``run``, ``tensors`` as in ``tensors``, or
                ``inputs`` as in ``input_tensors``.
            ordered: Whether results come in the order of the items; otherwise as they are done. If the worker
                ends, ordered results end before the first item that has none, and the others come completely.
            errors: ``raise`` ends with the first item that failed. ``return`` gives it a result with an
                error.

        Returns:
            A result for each item.

        Raises:
            ItemError: An item failed, and ``errors`` is ``raise``.
            WorkerEnded: The worker ended. Its ``items`` are those that were taken from the iterable, and whose
                results weren't returned.
            Error: The worker can't be started.
        """
        if answer not in ("outputs", "tensors", "inputs"):
            raise ValueError(f"'answer' is {answer!r}, but must be 'outputs', 'tensors' or 'inputs'.")
        if errors not in ("raise", "return"):
            raise ValueError(f"'errors' is {errors!r}, but must be 'raise' or 'return'.")
        return self._results(items, answer, ordered, raises=errors == "raise")

    def rows(self, items: Iterable[object], *, ordered: bool = True) -> Iterator[Row]:
        """Runs the model on many items, and returns the rows that `tensorio bulk` writes.

        An item that failed has a row, too: ``error`` is true, and ``error_description`` says why. A row
        has the item's path or URL as ``image``, or its position if it has neither. Items are taken as in
        ``map``.

        Raises:
            WorkerEnded: The worker ended.
            Error: The worker can't be started.
        """
        for result in self._results(items, "row", ordered, raises=True):
            yield result.value

    # The model

    @property
    def inputs(self) -> Sequence[dict[str, Any]]:
        """The inputs, as `tensorio inspect --json` prints them."""
        inputs: list[dict[str, Any]] = self._running().description["inputs"]
        return inputs

    @property
    def outputs(self) -> Sequence[dict[str, Any]]:
        """The outputs, as `tensorio inspect --json` prints them."""
        outputs: list[dict[str, Any]] = self._running().description["outputs"]
        return outputs

    @property
    def labels(self) -> dict[str, list[str]]:
        """The labels of the outputs that have some, by the output's name."""
        return {layer["name"]: layer["labels"] for layer in self.outputs if layer.get("labels")}

    @property
    def digest(self) -> str:
        """The SHA-256 of everything in the bundle that decides the results, as 64 hexadecimal digits.

        It covers the model's files, the layers in model.json, and the weights, labels and other files that they name.
        """
        return digest_of(self._running().description)

    @property
    def run_id(self) -> str:
        """The digest of everything that decides the rows: 16 hexadecimal digits, which rows have as ``run``."""
        return str(self._running().description["run"])

    # The worker

    def _running(self) -> Worker:
        """Returns the worker, and starts one if there is none."""
        with self._starting:
            if self._worker is None or self._worker.has_ended:
                self._detach()
                self._worker = Worker(self._command())
                self._ending = weakref.finalize(self, self._worker.kill)
            return self._worker

    def _detach(self) -> Worker | None:
        """Takes the worker, which no longer ends with the model."""
        if self._ending is not None:
            self._ending.detach()
        worker, self._worker = self._worker, None
        return worker

    def _command(self) -> list[str]:
        program = find_program(self._program)
        bundle = self._bundle.fetch(program) if isinstance(self._bundle, RemoteModel) else self._bundle
        command = [program, "worker", bundle, "--decode", self._decode]
        if self._threads is not None:
            command += ["--threads", str(self._threads)]
        if self._supervise is not None:
            command += ["--supervise", str(self._supervise)]
        if self._ahead:
            command += ["--ahead", str(self._ahead)]
        if self._accelerator != "cpu":
            command += ["--accelerator", self._accelerator]
        return command

    def _options(self, answer: str) -> dict[str, Any]:
        options: dict[str, Any] = {"answer": answer}
        if self._timeout is not None:
            options["timeout_ms"] = max(1, round(self._timeout * 1000))
        return options

    def _answer(self, item: object, answer: str) -> Any:
        return next(self._results([item], answer, is_ordered=True, raises=True)).value

    def _results(
        self, items: Iterable[object], answer: str, is_ordered: bool, raises: bool, as_text: bool = False,
    ) -> Iterator[Result[Any]]:
        worker = self._running()
        floats = worker.description.get("float_outputs", [])
        outputs = {layer["name"]: {**layer, "has_floats": layer["name"] in floats}
                   for layer in worker.description["outputs"]}

        def read(given: Answer) -> Any:
            return read_text(given) if as_text else read_answer(given, outputs)

        stream = Stream(worker, self._options(answer), read, is_ordered, answer == "row")
        with contextlib.closing(stream.results(items)) as results:
            for result in results:
                if raises and result.error is not None:
                    raise result.error
                yield result

    def _forget(self) -> None:
        """Leaves the worker to the parent of a process that was forked. Another thread may have held the lock."""
        self._starting = threading.Lock()
        worker = self._detach()
        if worker is not None:
            worker.abandon()


def _make(bundle: str | RemoteModel, options: dict[str, Any]) -> Model:
    return Model(bundle, **options)


_FORKING = threading.Lock()
_MODELS: weakref.WeakSet[Model] = weakref.WeakSet()


def _after_fork_in_child() -> None:
    for model in _MODELS:
        model._forget()
    _FORKING.release()


os.register_at_fork(
    before=_FORKING.acquire, after_in_parent=_FORKING.release, after_in_child=_after_fork_in_child)
