# TensorIO for Swift
# Copyright TensorIO authors
# Licensed under the Apache License 2.0
# SPDX-License-Identifier: Apache-2.0
"""Classifies a picture as a user would write it in Python: Pillow, interpreter, top five.

    classify.py MODEL.tflite IMAGE LABELS.txt [--iterations N]

Bytes go to [0,1] for float models, and by the input's scale and zero point for quantized ones.
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
    values = prepare(image, width, height)[np.newaxis].astype(np.float32) / 255
    interpreter.set_tensor(model_input["index"], _quantize(values, model_input))
    interpreter.invoke()
    return _dequantize(interpreter.get_tensor(model_output["index"])[0], model_output)


def _quantize(values: np.ndarray, details: dict) -> np.ndarray:
    scale, zero_point = details["quantization"]
    if scale == 0:
        return values.astype(details["dtype"])
    limits = np.iinfo(details["dtype"])
    quantized = np.round(values / scale) + zero_point
    return quantized.clip(limits.min, limits.max).astype(details["dtype"])


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
