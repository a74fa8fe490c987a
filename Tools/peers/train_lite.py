# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Trains a .tflite file with Python's LiteRT interpreter, and prints losses and weights as JSON.

    train_lite.py MODEL.tflite < STEPS.json

STEPS.json is a list with the inputs of the signature `train` in each step, by name. The weights are
those that the signature `weights` returns after the last step.
"""

import json
import sys

import numpy as np
from ai_edge_litert.interpreter import Interpreter


def main() -> None:
    """Reads the steps from standard input."""
    interpreter = Interpreter(model_path=sys.argv[1])
    losses = []
    train = interpreter.get_signature_runner("train")
    for step in json.load(sys.stdin):
        fed = {name: np.array(value, np.float32) for name, value in step.items()}
        losses.append(float(train(**fed)["loss"]))
    weights = interpreter.get_signature_runner("weights")()
    print(json.dumps({"losses": losses, "weights": {k: v.tolist() for k, v in weights.items()}}))


if __name__ == "__main__":
    main()
