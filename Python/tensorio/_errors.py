# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""The errors of the package."""

from __future__ import annotations

from collections.abc import Sequence


class Error(Exception):
    """An error of this package, whose text says what happened and how to fix it."""


class ItemError(Error):
    """An item failed. The worker goes on with other items.

    Attributes:
        code: What failed: a code of TensorIO such as ``invalidImage`` or ``wrongElementCount``, or
            ``cancelled``, ``timed_out``, ``refused`` (the item can't be sent to a model), or
            ``worker_ended`` (a supervised worker, or that of a table, ended again with this item).
        message: What happened, and how to fix it.
        item: The item itself.
        index: The position of the item in the iterable; 0 for a single item.
    """

    def __init__(self, code: str, message: str, item: object = None, index: int = 0):
        super().__init__(code, message, item, index)
        self.code = code
        self.message = message
        self.item = item
        self.index = index

    def __str__(self) -> str:
        return f"{self.message} ({self.code})"


class WorkerEnded(Error):
    """The worker's process ended, or was ended, while items were under way.

    The next call of the model starts a new worker.

    Attributes:
        reason: How the process ended.
        items: The items whose results weren't returned.
        status: The exit status; None if a signal ended the process.
        signal: The name of the signal, such as ``SIGKILL``; None if the process exited.
        messages: The last lines that the worker wrote to standard error.
    """

    def __init__(
        self, reason: str, items: Sequence[object] = (), status: int | None = None,
        signal: str | None = None, messages: str = "",
    ):
        super().__init__(reason, tuple(items), status, signal, messages)
        self.reason = reason
        self.items = tuple(items)
        self.status = status
        self.signal = signal
        self.messages = messages

    def __str__(self) -> str:
        text = self.reason
        if self.items:
            shown = ", ".join(describe(item) for item in self.items[:_SHOWN_ITEMS])
            more = len(self.items) - _SHOWN_ITEMS
            text += f" Without an answer: {shown}" + (f" and {more} more." if more > 0 else ".")
        return f"{text}\n{self.messages}" if self.messages else text


_SHOWN_ITEMS = 8


def describe(item: object) -> str:
    """Names an item in a message."""
    if isinstance(item, (bytes, bytearray, memoryview)):
        return f"{len(item):,} bytes"
    if hasattr(item, "shape") and hasattr(item, "dtype"):
        return f"an array of {item.dtype} {list(item.shape)}"
    if isinstance(item, dict):
        text = "{" + ", ".join(f"{name!r}: {describe(value)}" for name, value in item.items()) + "}"
    else:
        text = str(item) if isinstance(item, str) or hasattr(item, "__fspath__") else repr(item)
    return text if len(text) <= 200 else text[:197] + "..."
