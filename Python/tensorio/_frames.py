# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""The frames of the worker's protocol: a JSON header, and a body of bytes."""

from __future__ import annotations

import collections
import itertools
import json
import os
import struct
from collections.abc import Callable
from typing import Any

_PREFIX = struct.Struct("<IQ")

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
"""`json.dumps` would make another one for each item."""

MOST_HEADER_BYTES = 16 << 20
"""The most bytes of a header that the worker reads."""

_LARGEST_PART = 1 << 32
"""No answer has a larger part. Larger numbers show that the stream isn't the protocol."""

_MOST_PARTS = 1024
"""The system writes no more parts at once."""


class FrameError(Exception):
    """The stream isn't the protocol."""


def encode_header(header: dict[str, Any], body_length: int) -> bytes:
    """Returns the bytes in front of a body.

    Raises:
        ValueError: The header has a number or a name that JSON can't express, or is too long for the worker.
    """
    data = _ENCODER.encode(header).encode()
    if len(data) > MOST_HEADER_BYTES:
        raise ValueError(f"the item takes {len(data):,} bytes as JSON, and the worker reads at most "
                         f"{MOST_HEADER_BYTES:,}; pass NumPy arrays, which have no such limit")
    return _PREFIX.pack(len(data), body_length) + data


def write_frames(descriptor: int, parts: list[memoryview]) -> None:
    """Writes the parts of whole frames, however little the pipe takes at once.

    Raises:
        OSError: The worker no longer reads.
    """
    rest = collections.deque(part for part in parts if len(part))
    while rest:
        count = os.writev(descriptor, list(itertools.islice(rest, _MOST_PARTS)))
        while rest and count >= len(rest[0]):
            count -= len(rest.popleft())
        if count:
            rest[0] = rest[0][count:]


class FrameReader:
    """Reads frames with a function that returns the next bytes, and none at the end."""

    def __init__(self, read: Callable[[int], bytes]):
        self._read = read
        self._buffer = bytearray()

    def next(self) -> tuple[dict[str, Any], memoryview] | None:
        """Returns the next header and its body; None at the end of the stream.

        Raises:
            FrameError: The stream isn't the protocol, or ends within a frame.
        """
        if not self._buffer and not self._fill(1):
            return None
        header_length, body_length = _PREFIX.unpack(self._take(_PREFIX.size))
        if max(header_length, body_length) > _LARGEST_PART:
            raise FrameError("The program's output isn't the protocol of 'tensorio worker'.")
        try:
            header = json.loads(self._take(header_length))
        except ValueError as error:
            raise FrameError(f"The program's output isn't the protocol of 'tensorio worker': {error}.") from error
        if not isinstance(header, dict):
            raise FrameError("The program's output has a header that isn't an object.")
        return header, memoryview(self._take(body_length))

    def _take(self, count: int) -> bytes:
        if not self._fill(count):
            raise FrameError("The program's output ends within a frame.")
        with memoryview(self._buffer) as view:
            data = bytes(view[:count])
        del self._buffer[:count]
        return data

    def _fill(self, count: int) -> bool:
        while len(self._buffer) < count:
            data = self._read(max(1 << 16, min(count - len(self._buffer), 1 << 20)))
            if not data:
                return False
            self._buffer += data
        return True
