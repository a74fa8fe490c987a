# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Prints a quantized model's output bytes for images that are preprocessed in several ways.

    scores.py MODEL.tflite LAYERS.json PHOTO...

LAYERS.json is a list of image layers, as in model.json. The script prints a JSON list that has, for each image, a
list of the bytes for each layer.
"""

import json
import sys
from pathlib import Path

import numpy as np
from ai_edge_litert.interpreter import Interpreter

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from preprocessing import reference  # noqa: E402


def main() -> None:
    model, layers, *photos = sys.argv[1:]
    layers = json.loads(Path(layers).read_text(encoding="utf-8"))
    interpreter = Interpreter(model_path=model, num_threads=1)
    interpreter.allocate_tensors()
    given, result = interpreter.get_input_details()[0], interpreter.get_output_details()[0]

    def scores(image, layer) -> list[int]:
        tensor = reference.prepared(image, layer, quantized=True)
        interpreter.set_tensor(given["index"], tensor[np.newaxis])
        interpreter.invoke()
        return interpreter.get_tensor(result["index"])[0].tolist()

    images = [reference.upright(photo) for photo in photos]
    print(json.dumps([[scores(image, layer) for layer in layers] for image in images]))


if __name__ == "__main__":
    main()
