#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Samples for `tensorio convert --quantize int8`, and the ranges that a converter must find in them.

    calibration.py make FOLDER          writes dim photos of different sizes
    calibration.py scales FOLDER MODEL  prints the scale of the photos' values as Pillow resizes them to the
                                        model's input, and those of the model's tensors of 8 bits, as JSON
"""

import json
import sys
from pathlib import Path

import numpy as np
from PIL import Image


def make(folder: Path) -> None:
    random = np.random.default_rng(1)
    for index in range(12):
        size = tuple(random.integers(40, 90, 2))
        Image.fromarray(random.integers(20, 120, size, dtype=np.uint8)).save(folder / f"{index:02d}.png")


def prepared(path: Path, side: int) -> np.ndarray:
    image = Image.open(path).convert("L")
    square = min(image.size)
    left, top = (image.width - square) // 2, (image.height - square) // 2
    image = image.crop((left, top, left + square, top + square)).resize((side, side), Image.BILINEAR)
    return np.asarray(image, dtype=np.float32) / 255


def scales(folder: Path, model: str) -> None:
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(model_path=model)
    side = int(interpreter.get_input_details()[0]["shape"][1])
    most = max(float(prepared(path, side).max()) for path in folder.iterdir())
    found = [float(tensor["quantization"][0]) for tensor in interpreter.get_tensor_details()
             if tensor["dtype"] == np.int8 and tensor["quantization"][0]]
    print(json.dumps({"expected": most / 255, "found": found}))


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]))
    else:
        scales(Path(sys.argv[2]), sys.argv[3])
