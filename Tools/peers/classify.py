# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Classifies an image as a user would write it in Python: Pillow, interpreter, top five.

    classify.py MODEL.tflite IMAGE LABELS.txt [--iterations N]

Float models get the bytes scaled to [0,1], uint8 models get the bytes, and int8 models the bytes less 128.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
from ai_edge_litert.interpreter import Interpreter
from PIL import Image

from preprocess import prepare

TOP = 5


def classify(interpreter: Interpreter, image: Image.Image) -> np.ndarray:
    """Returns a probability for every label."""
    model_input = interpreter.get_input_details()[0]
    model_output = interpreter.get_output_details()[0]
    _, height, width, _ = model_input["shape"]
    pixels = prepare(image, width, height)[np.newaxis]
    interpreter.set_tensor(model_input["index"], _encode(pixels, model_input["dtype"]))
    interpreter.invoke()
    return _dequantize(interpreter.get_tensor(model_output["index"])[0], model_output)


def _encode(pixels: np.ndarray, dtype: type) -> np.ndarray:
    """Returns the bytes themselves for uint8, less 128 for int8, and scaled to 0...1 for floats."""
    if dtype == np.uint8:
        return pixels
    if dtype == np.int8:
        return (pixels.astype(np.int16) - 128).astype(np.int8)
    return pixels.astype(dtype) / dtype(255)


def _dequantize(values: np.ndarray, details: dict) -> np.ndarray:
    scale, zero_point = details["quantization"]
    if scale == 0:
        return values
    return (values.astype(np.float32) - zero_point) * np.float32(scale)


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("image", type=Path)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--iterations", type=int, default=1, help="for the mean latency")
    arguments = parser.parse_args()

    labels = arguments.labels.read_text().splitlines()
    interpreter = Interpreter(model_path=str(arguments.model))
    interpreter.allocate_tensors()
    start = time.perf_counter()
    for _ in range(arguments.iterations):
        with Image.open(arguments.image) as image:
            probabilities = classify(interpreter, image)
    milliseconds = (time.perf_counter() - start) * 1000 / arguments.iterations

    best = np.argsort(-probabilities, kind="stable")[:TOP]
    top = [{"label": labels[index], "value": float(probabilities[index])} for index in best]
    print(json.dumps({"top": top, "latency_ms": milliseconds}, indent=2))


if __name__ == "__main__":
    main()
