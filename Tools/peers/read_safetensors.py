# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Prints the tensors of a .safetensors file as JSON.

    read_safetensors.py FILE.safetensors
"""

import json
import sys
from pathlib import Path

import numpy as np

TYPES = {"BOOL": "?", "F16": "<f2", "F32": "<f4", "F64": "<f8"} | {
    f"{kind}{bits}": f"<{kind.lower()}{bits // 8}" for kind in "IU" for bits in (8, 16, 32, 64)
}


def read(content: bytes) -> dict[str, np.ndarray]:
    """Reads the tensors by name."""
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        data = content[8 + length :][begin:end]
        tensors[name] = np.frombuffer(data, TYPES[entry["dtype"]]).reshape(entry["shape"])
    return tensors


if __name__ == "__main__":
    found = read(Path(sys.argv[1]).read_bytes())
    print(json.dumps({name: tensor.tolist() for name, tensor in found.items()}))
