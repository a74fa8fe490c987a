# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""NumPy arrays to and from the bytes of .npy files. NumPy is only imported when an array is needed."""

from __future__ import annotations

import io
import struct
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[Any]

_MAGIC = b"\x93NUMPY\x01\x00"
_ALIGNMENT = 64
_TEXT_DECODERS = ("ctc", "tokens")
_NOT_FINITE = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


def is_array(value: object) -> bool:
    """Whether a value is an array of NumPy, or of a library whose arrays NumPy reads, such as PyTorch."""
    return hasattr(value, "__array__") and not is_scalar(value)


def is_scalar(value: object) -> bool:
    """Whether a value is a single number of NumPy."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.generic)


def to_array(value: object) -> Array:
    """Returns a little-endian array in C order, which is a view where that is possible.

    Raises:
        ValueError: The elements aren't numbers.
    """
    import numpy as np

    array = np.asarray(value, order="C")
    if array.dtype.kind not in "biuf":
        raise ValueError(f"an array of {array.dtype} isn't one of numbers")
    if array.dtype.byteorder == ">" or (array.dtype.byteorder == "=" and sys.byteorder == "big"):
        array = array.astype(array.dtype.newbyteorder("<"))
    return array


def array_file(array: Array) -> tuple[bytes, memoryview]:
    """Returns a .npy file as its header and its data, which isn't copied."""
    import numpy as np

    text = f"{{'descr': {array.dtype.str!r}, 'fortran_order': False, 'shape': {array.shape}, }}"
    length = -(len(_MAGIC) + 2 + len(text) + 1) % _ALIGNMENT + len(text) + 1
    header = _MAGIC + struct.pack("<H", length) + text.ljust(length - 1).encode() + b"\n"
    return header, array.reshape(-1).view(np.uint8).data


def read_array(data: memoryview) -> Array:
    """Returns the array of a .npy file, in memory of its own."""
    import numpy as np

    array: Array = np.load(io.BytesIO(data), allow_pickle=False)
    return array


def with_arrays(value: Any, layer: Mapping[str, Any]) -> Any:
    """Returns an output with its numbers as an array, and all numbers as such, also those that aren't finite.

    Args:
        value: An output as `tensorio run --json` prints it.
        layer: The layer, and whether it ``has_floats``. The array is flat if the layer's shape isn't that of its numbers.
    """
    is_float = bool(layer.get("has_floats"))  # JSON has 16 for the float 16.0
    if isinstance(value, dict) and layer.get("labels"):
        return {label: _number(score, is_float) for label, score in value.items()}
    is_text = (layer.get("decode") or {}).get("type") in _TEXT_DECODERS
    if is_float and isinstance(value, (int, str)) and not is_text:
        return _number(value, is_float)
    shape = layer.get("shape")
    if not isinstance(value, list) or not value:
        return value
    numbers = [_number(part, is_float) for part in value]
    if not all(isinstance(part, (int, float)) for part in numbers):
        return value
    import numpy as np

    array = np.asarray(numbers)
    if shape and all(length > 0 for length in shape) and int(np.prod(shape)) == len(numbers):
        return array.reshape(shape)
    return array


def read_number(value: Any) -> Any:
    """Returns a number of a row, also one that isn't finite; anything else as it is."""
    return _number(value, True)


def _number(value: Any, is_float: bool) -> Any:
    """Returns a number of an output; anything else as it is."""
    if isinstance(value, str):
        return _NOT_FINITE.get(value, value)
    return float(value) if is_float and isinstance(value, int) else value
