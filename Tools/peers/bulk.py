# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Does the same as `tensorio bulk`, as a user would write it in Python, for Benchmarks/bulk.py.

    bulk.py MODEL.tflite FOLDER OUTPUT.jsonl PROCESSES

OpenCV decodes and resizes (not antialiased), LiteRT runs the model, and each image becomes a row of JSON.
"""

import json
import multiprocessing
import sys
from pathlib import Path

import cv2
import numpy as np
from ai_edge_litert.interpreter import Interpreter

MODEL: dict = {}


def load(path: str) -> None:
    cv2.setNumThreads(1)
    interpreter = Interpreter(model_path=path, num_threads=1)
    interpreter.allocate_tensors()
    MODEL["interpreter"] = interpreter
    MODEL["input"] = interpreter.get_input_details()[0]
    MODEL["output"] = interpreter.get_output_details()[0]


def classify(path: str) -> str:
    interpreter = MODEL["interpreter"]
    size = MODEL["input"]["shape"][1]
    image = cv2.imread(path)
    if image is None:
        return json.dumps({"image": path, "error": True})
    height, width = image.shape[:2]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    image = cv2.resize(image[top : top + side, left : left + side], (size, size))
    image = cv2.cvtColor(image, cv2.COLOR_BGR2RGB)
    interpreter.set_tensor(MODEL["input"]["index"], image[None])
    interpreter.invoke()
    scores = interpreter.get_tensor(MODEL["output"]["index"])[0]
    best = np.argsort(-scores.astype(int), kind="stable")[:5]
    return json.dumps(
        {"image": path, "error": False, "scores": {str(i): int(scores[i]) for i in best}})


def main() -> None:
    model, folder, output, processes = sys.argv[1:]
    paths = sorted(map(str, Path(folder).glob("*.jpg")))
    with multiprocessing.Pool(int(processes), load, (model,)) as pool, open(output, "w") as file:
        for line in pool.imap(classify, paths, chunksize=8):
            file.write(line + "\n")


if __name__ == "__main__":
    main()
