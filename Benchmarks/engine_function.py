# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Classifies photos in Ray and Spark as a user would write it in Python, for Benchmarks/engines.py."""

import json
from typing import Any


class Classifier:
    """A function on Arrow tables, which has an interpreter of its own."""

    def __init__(self, model: str):
        import cv2
        from ai_edge_litert.interpreter import Interpreter

        cv2.setNumThreads(1)
        self._interpreter = Interpreter(model_path=model, num_threads=1)
        self._interpreter.allocate_tensors()
        self._input = self._interpreter.get_input_details()[0]
        self._output = self._interpreter.get_output_details()[0]

    def __call__(self, table: Any) -> Any:
        import pyarrow

        rows = [self._classify(path) for path in table["item"].to_pylist()]
        return table.append_column("row", pyarrow.array(rows, pyarrow.string()))

    def _classify(self, path: str) -> str:
        import cv2
        import numpy as np

        image = cv2.imread(path)
        if image is None:
            return json.dumps({"image": path, "error": True})
        size = self._input["shape"][1]
        height, width = image.shape[:2]
        side = min(height, width)
        top, left = (height - side) // 2, (width - side) // 2
        image = cv2.resize(image[top : top + side, left : left + side], (size, size))
        image = cv2.cvtColor(image, cv2.COLOR_BGR2RGB)
        self._interpreter.set_tensor(self._input["index"], image[None])
        self._interpreter.invoke()
        scores = self._interpreter.get_tensor(self._output["index"])[0]
        best = np.argsort(-scores.astype(int), kind="stable")[:5]
        return json.dumps({"image": path, "error": False, "scores": {str(i): int(scores[i]) for i in best}})


class Nothing:
    """A function that only adds a column, to measure what the engine itself needs."""

    def __call__(self, table: Any) -> Any:
        import pyarrow

        return table.append_column("row", pyarrow.array(["{}"] * table.num_rows, pyarrow.string()))
