# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Results of items, and the loop that runs many items at once."""

from __future__ import annotations

import json
import queue
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from ._arrays import read_array, with_arrays
from ._errors import ItemError, WorkerEnded
from ._worker import Answer, ItemFrame, Worker

T = TypeVar("T")
Row = dict[str, Any]

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))

_AHEAD = 4
"""In order, this many windows of items may be done while an earlier item isn't."""

_MOST_BYTES_AHEAD = 1 << 20
"""Items with more bytes than this aren't sent ahead, so that the worker's memory stays small."""


@dataclass(frozen=True)
class Result(Generic[T]):
    """The result of one item of ``Model.map``.

    Attributes:
        index: The item's position in the iterable, from 0.
        item: The item itself.
        error: Why it failed; None if it didn't.
        accelerator: What ran it, if the model's ``accelerator`` isn't ``cpu``: ``gpu``, or ``cpu`` with the reason in
            parentheses.
    """

    index: int
    item: object
    error: ItemError | None
    _value: T | None
    accelerator: str | None = None

    @property
    def value(self) -> T:
        """The outputs, by name.

        Raises:
            ItemError: The item failed.
        """
        if self.error is not None:
            raise self.error
        return self._value  # type: ignore[return-value]


def read_answer(answer: Answer, outputs: Mapping[str, Mapping[str, Any]]) -> Any:
    """Returns the values of an answer.

    Args:
        answer: The worker's answer.
        outputs: The model's outputs by name, as the worker describes them.

    Raises:
        ItemError: The item failed. The error doesn't have the item yet.
        WorkerEnded: The worker ended.
    """
    header = _header(answer)
    if header["type"] == "row":
        return header["row"]
    if header["type"] == "outputs":
        return {name: with_arrays(value, outputs.get(name, {})) for name, value in header["outputs"].items()}
    arrays = {}
    start = 0
    for entry in header["tensors"]:
        arrays[entry["name"]] = read_array(answer.body[start:start + entry["length"]])
        start += entry["length"]
    return arrays


def read_text(answer: Answer) -> tuple[str, str | None]:
    """Returns an answer of outputs or a row as JSON, and the error of a row.

    The errors are those of ``read_answer``.
    """
    header = _header(answer)
    error = header.get("error")
    return (_ENCODER.encode(header[header["type"]]),
            None if error is None else str(_item_error(error)))


def read_accelerator(header: Mapping[str, Any]) -> str | None:
    """Returns what ran the item of an answer, with the reason in parentheses; None if it doesn't say."""
    name, reason = header.get("accelerator"), header.get("accelerator_reason")
    return f"{name} ({reason})" if name and reason else name


def _header(answer: Answer) -> dict[str, Any]:
    if answer.error is not None:
        raise answer.error
    if answer.header["type"] == "failed":
        raise _item_error(answer.header["error"])
    return answer.header


def _item_error(error: Mapping[str, Any]) -> ItemError:
    return ItemError(str(error["code"]), str(error["message"]))


class _Sent(NamedTuple):
    """An item that isn't answered yet."""

    position: int
    item: object
    byte_count: int


class Stream(Generic[T]):
    """Runs the items of an iterable, which is read only as fast as the results are taken."""

    def __init__(
        self, worker: Worker, options: dict[str, Any], read: Callable[[Answer], T], is_ordered: bool,
        wants_rows: bool,
    ):
        """Args:
            worker: What runs the items.
            options: More members of each item's header.
            read: Returns the value of an answer, or raises an ItemError or WorkerEnded.
            is_ordered: Whether results come in the order of the items.
            wants_rows: Whether the worker is told each item's position, and makes a row of an item that
                can't be sent.
        """
        self._worker = worker
        self._options = options
        self._read = read
        self._is_ordered = is_ordered
        self._wants_rows = wants_rows
        self._answers: queue.SimpleQueue[list[Answer]] = queue.SimpleQueue()
        self._sent: dict[int, _Sent] = {}
        self._sent_bytes = 0
        # The time of an item that waits in the worker would count.
        self._window = worker.sessions if "timeout_ms" in options else worker.window
        self._failure: Exception | None = None
        self._end: WorkerEnded | None = None
        self._lost: dict[int, object] = {}
        """The items that have no answer after the worker's end, by their positions."""
        self._done: dict[int, Result[T]] = {}
        self._most_held = self._window * (_AHEAD if is_ordered else 1)

    def results(self, items: Iterable[object]) -> Generator[Result[T], None, None]:
        """Returns the results. If the iterator is closed, the items that are under way are cancelled.

        Raises:
            WorkerEnded: The worker ended. Its items are those without a result.
            Exception: What the iterable raises, after the results of the items before.
        """
        rest = enumerate(items)
        has_more = True
        next_index = 0
        try:
            while has_more or self._sent or self._done:
                while self._done and (not self._is_ordered or next_index in self._done):
                    key = next_index if self._is_ordered else next(iter(self._done))
                    result = self._done.pop(key)
                    next_index += 1
                    yield result
                if has_more and self._end is None and self._has_room(0):
                    has_more = self._send_next(rest)
                    while not self._answers.empty():
                        self._receive(self._answers.get())
                elif self._sent:
                    self._worker.check_is_own()
                    self._receive(self._answers.get())
                elif self._end is not None:
                    break
            if self._end is not None:
                raise self._ended(self._end) from None
            if self._failure is not None:
                raise self._failure
        finally:
            self._worker.cancel(list(self._sent))

    def _has_room(self, count: int) -> bool:
        """Whether another item may be sent after this many others."""
        under_way = len(self._sent) + count
        if under_way + len(self._done) >= self._most_held:
            return False
        return under_way < self._window - self._worker.ahead or \
            (under_way < self._window and self._sent_bytes < _MOST_BYTES_AHEAD)

    def _send_next(self, rest: Iterator[tuple[int, object]]) -> bool:
        """Sends one item, or with a worker that takes items ahead, as many as it has room for.

        Returns:
            Whether there may be more items.
        """
        frames: dict[int, ItemFrame] = {}
        has_more = True
        while self._has_room(len(frames)) and len(frames) <= self._worker.ahead:
            entry = self._next(rest)
            if entry is None:
                has_more = False
                break
            index, item = entry
            options = {**self._options, "index": index} if self._wants_rows else self._options
            try:
                frame = self._worker.encode(item, index, options)
            except ItemError as error:
                if not self._wants_rows:
                    self._fail(error, index, item)
                    continue
                frame = self._worker.encode_failure(error, item, index, options)
            frames[index] = frame
            self._sent_bytes += frame.byte_count
        try:
            self._worker.send(list(frames.values()), self._answers.put)
        except WorkerEnded as error:
            # The answers of the items under way still come.
            self._end = error
            self._lost.update((index, frame.item) for index, frame in frames.items())
            return False
        for index, frame in frames.items():
            self._sent[frame.key] = _Sent(index, frame.item, frame.byte_count)
        return has_more

    def _next(self, rest: Iterator[tuple[int, object]]) -> tuple[int, object] | None:
        """Returns the next item; None if there are no more, or if the iterable fails."""
        try:
            return next(rest, None)
        except Exception as error:
            self._failure = error
            return None

    def _receive(self, answers: list[Answer]) -> None:
        for answer in answers:
            sent = self._sent.pop(answer.key)
            self._sent_bytes -= sent.byte_count
            try:
                value = self._read(answer)
            except ItemError as error:
                self._fail(error, sent.position, sent.item)
            except WorkerEnded as error:
                self._end = error
                self._lost[sent.position] = sent.item
            else:
                self._done[sent.position] = Result(sent.position, sent.item, None, value, read_accelerator(answer.header))

    def _ended(self, end: WorkerEnded) -> WorkerEnded:
        """Returns the error of the worker's end, with the items whose results weren't returned, in their order."""
        left = {**self._lost, **{position: result.item for position, result in self._done.items()}}
        items = [left[position] for position in sorted(left)]
        return WorkerEnded(end.reason, items, end.status, end.signal, end.messages)

    def _fail(self, error: ItemError, index: int, item: object) -> None:
        self._done[index] = Result(index, item, ItemError(error.code, error.message, item, index), None)
