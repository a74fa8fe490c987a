# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Measures a converted model through LiteRT, with the arithmetic that its bundle describes."""

import numpy as np
from ai_edge_litert.interpreter import Interpreter

# An int8 bundle without `normalize` subtracts this from each byte of an image.
INT8_OFFSET = 128


def predictions(model: bytes, pixels: np.ndarray) -> np.ndarray:
    """Returns the digit that the model sees in each image."""
    interpreter = Interpreter(model_content=model)
    interpreter.allocate_tensors()
    image = interpreter.get_input_details()[0]
    classification = interpreter.get_output_details()[0]
    found = []
    for picture in pixels:
        interpreter.set_tensor(image["index"], _values(picture, image["dtype"])[np.newaxis])
        interpreter.invoke()
        found.append(int(interpreter.get_tensor(classification["index"])[0].argmax()))
    return np.array(found)


def _values(picture: np.ndarray, dtype: type) -> np.ndarray:
    if dtype == np.int8:
        return (picture.astype(np.int16) - INT8_OFFSET).astype(np.int8)
    return picture.astype(np.float32) / 255
