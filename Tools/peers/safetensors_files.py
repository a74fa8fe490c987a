# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Reads and writes safetensors files with the package `safetensors`.

    safetensors_files.py copy FROM TO       reads a file, and writes its tensors into another one
    safetensors_files.py judge FOLDER       prints, for each file in the folder, whether it is valid
"""

import json
import sys
from pathlib import Path

import safetensors
from safetensors.numpy import load, save_file


def judge(path: Path) -> bool:
    """Returns whether the package reads the file."""
    try:
        load(path.read_bytes())
    except (safetensors.SafetensorError, KeyError, ValueError):
        return False
    return True


if __name__ == "__main__":
    if sys.argv[1] == "copy":
        save_file(load(Path(sys.argv[2]).read_bytes()), sys.argv[3])
    else:
        print(json.dumps({p.name: judge(p) for p in sorted(Path(sys.argv[2]).iterdir())}))
