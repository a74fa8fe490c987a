# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Finds the class of every pixel as a user would in Python: Pillow, interpreter, argmax, palette.

    segment.py MODEL.tflite IMAGE MAP.png

Writes the map in the colours of the Pascal VOC challenge, and prints how many pixels each class
has, as JSON. The image must have the size that the model takes.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from ai_edge_litert.interpreter import Interpreter
from PIL import Image


def segment(interpreter: Interpreter, pixels: np.ndarray) -> np.ndarray:
    """Returns the class of every pixel, from scores or from the model's own class numbers."""
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], pixels[np.newaxis])
    interpreter.invoke()
    values = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])[0]
    return values.argmax(axis=-1) if values.ndim == 3 and values.shape[-1] > 1 else values.squeeze()


def palette() -> list[int]:
    """Returns the 256 colours of the challenge's development kit, as its `VOClabelcolormap` makes them."""
    colors: list[int] = []
    for label in range(256):
        red = green = blue = 0
        rest = label
        for bit in range(7, -1, -1):
            red |= (rest & 1) << bit
            green |= (rest >> 1 & 1) << bit
            blue |= (rest >> 2 & 1) << bit
            rest >>= 3
        colors += [red, green, blue]
    return colors


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("image", type=Path)
    parser.add_argument("map", type=Path)
    arguments = parser.parse_args()

    interpreter = Interpreter(model_path=str(arguments.model))
    interpreter.allocate_tensors()
    with Image.open(arguments.image) as image:
        classes = segment(interpreter, np.asarray(image.convert("RGB")))
    picture = Image.fromarray(classes.astype(np.uint8))
    picture.putpalette(palette())
    picture.convert("RGB").save(arguments.map)
    found, counts = np.unique(classes, return_counts=True)
    print(json.dumps({str(index): int(count) for index, count in zip(found, counts)}))


if __name__ == "__main__":
    main()
