# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Turns items of Python into sources that the worker reads."""

from __future__ import annotations

import io
import math
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ._arrays import array_file, is_array, is_scalar, to_array
from ._errors import ItemError, describe

_TAKEN = ("paths, URLs, bytes, open files, NumPy arrays, images of Pillow, numbers, lists, texts for models "
          "of texts, and dicts by input or by column")


class Source(NamedTuple):
    """The members of an item's header that say what it is, and the parts of its body."""

    members: dict[str, Any]
    body: tuple[memoryview, ...] = ()
    is_named: bool = False
    """Whether a row can name the item after its source."""


class ItemEncoder:
    """Encodes items for a model."""

    def __init__(self, inputs: Sequence[Mapping[str, Any]], folder: str):
        """Args:
            inputs: The model's inputs, as the worker describes them.
            folder: The worker's current folder.
        """
        self._names = [str(layer["name"]) for layer in inputs]
        self._takes_text = bool(inputs) and all(layer.get("type") in ("text", "string") for layer in inputs)
        self._folder = folder

    def encode(self, item: object) -> Source:
        """Returns an item's source.

        Raises:
            ItemError: The package can't send such an item; the code is ``refused``.
        """
        try:
            return self._source(item)
        except Exception as error:  # Files, images and arrays of other packages raise errors of any kind.
            raise ItemError("refused", f"The item {describe(item)} can't be sent to the model: {error}.",
                            item) from error

    def _source(self, item: object) -> Source:
        if isinstance(item, str):
            if self._takes_text:
                return Source({"value": item})
            if item.startswith(("http://", "https://", "s3://")):
                return Source({"url": item}, is_named=True)
            return Source({"path": self._path(item)}, is_named=True)
        if isinstance(item, os.PathLike):
            return Source({"path": self._path(os.fsdecode(item))}, is_named=True)
        if isinstance(item, (bytes, bytearray, memoryview)):
            return _file(None, item)
        if _is_picture(item):
            return _file(None, _png(item))
        if hasattr(item, "read"):
            return self._open_file(item)
        if is_array(item):
            if len(self._names) != 1:
                raise TypeError(f"the model has {len(self._names)} inputs; pass a dict with an array for each of "
                                f"{', '.join(self._names)}")
            return self._members({self._names[0]: item})
        if isinstance(item, Mapping):
            return self._members(item)
        return Source({"value": self._json(item)})

    def _members(self, item: Mapping[Any, Any]) -> Source:
        """Encodes values by input or by column. Columns are sent as JSON."""
        if not set(item) <= set(self._names):
            for name, value in item.items():
                if name not in self._names and _has_bytes(value) and not is_array(value):
                    raise ValueError(f"{name!r} isn't an input of the model, whose inputs are "
                                     f"{', '.join(map(repr, self._names))}")
            return Source({"value": self._json(item)})
        if not any(_has_bytes(value) for value in item.values()):
            return Source({"value": self._json(item)})
        entries: list[dict[str, Any]] = []
        parts: list[memoryview] = []
        for name, value in item.items():
            if _has_bytes(value):
                own = self._bytes(value)
                if not any(map(len, own)):
                    raise ValueError(f"the value of {name!r} has no bytes")
                parts += own
                entries.append({"name": name, "length": sum(map(len, own))})
            else:
                entries.append({"name": name, "value": self._json(value)})
        return Source({"tensors": entries}, tuple(parts))

    def _bytes(self, value: Any) -> Sequence[memoryview]:
        """Returns the value of one input as the bytes of a file."""
        if is_array(value):
            header, data = array_file(to_array(value))
            return (memoryview(header), data)
        if isinstance(value, (bytes, bytearray, memoryview)):
            return _file(None, value).body
        return _file(None, _png(value)).body if _is_picture(value) else self._open_file(value).body

    def _path(self, path: str) -> str:
        """Returns a path that the worker resolves as this process does."""
        if any("\udc80" <= character <= "\udcff" for character in path):
            raise ValueError("its name isn't UTF-8, which the worker can't be told; pass the open file instead")
        if os.path.isabs(path) or os.getcwd() == self._folder:
            return path
        return os.path.abspath(path)

    def _open_file(self, item: Any) -> Source:
        data = item.read()
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError("it returns text; open the file with the mode 'rb'")
        name = getattr(item, "name", None)
        return _file(name if isinstance(name, str) and name else None, data)

    def _json(self, value: object) -> Any:
        if isinstance(value, float):
            return value if math.isfinite(value) else _name(value)
        if value is None or isinstance(value, (str, bool, int)):
            return value
        if isinstance(value, os.PathLike):
            return os.path.abspath(os.fsdecode(value))
        if is_scalar(value):
            number = value.item()  # type: ignore[attr-defined]
            # A long double has no number of Python's.
            return self._json(float(number) if is_scalar(number) else number)
        if is_array(value):
            return self._json(value.tolist())  # type: ignore[attr-defined]
        if isinstance(value, Mapping):
            return {str(name): self._json(member) for name, member in value.items()}
        if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray, memoryview)):
            return [self._json(element) for element in value]
        raise TypeError(f"{type(value).__name__} isn't among what models take: {_TAKEN}")


def _file(name: str | None, data: bytes | bytearray | memoryview) -> Source:
    return Source({"file": name or "bytes"}, (memoryview(data).cast("B"),), is_named=name is not None)


def _name(number: float) -> str:
    """Returns how the protocol writes a number that isn't finite."""
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def _has_bytes(value: object) -> bool:
    """Whether a value is sent as bytes: an array, the bytes of a file, an open file or an image."""
    return isinstance(value, (bytes, bytearray, memoryview)) or is_array(value) or _is_picture(value) or \
        hasattr(value, "read")


def _is_picture(item: object) -> bool:
    pillow = sys.modules.get("PIL.Image")
    return pillow is not None and isinstance(item, pillow.Image)


def _png(image: Any) -> bytes:
    """Returns an image of Pillow as a PNG file, which has exactly its pixels."""
    if image.mode not in ("1", "L", "LA", "P", "RGB", "RGBA"):
        raise ValueError(f"its mode is {image.mode}, which can't be sent without loss; pass image.convert('RGB')")
    buffer = io.BytesIO()
    image.save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()
