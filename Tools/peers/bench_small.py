# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Measures one call of a model with one number in and out, which shows the cost of the call itself.

    bench_small.py MODEL.tflite [--iterations N]

A call writes a Python float, invokes the model and reads a Python float. Tensor details and the input's
array are reused.
"""

import argparse
import json
import statistics
import time
from pathlib import Path

import numpy as np
from ai_edge_litert.interpreter import Interpreter

WARM_UP = 1_000


def measure(interpreter: Interpreter, iterations: int) -> dict[str, float]:
    """Returns the median, 95th percentile and minimum of a call, in nanoseconds."""
    interpreter.allocate_tensors()
    model_input = interpreter.get_input_details()[0]
    input_index = model_input["index"]
    values = np.zeros(model_input["shape"], np.float32)
    output_index = interpreter.get_output_details()[0]["index"]

    def call(value: float) -> float:
        values.flat[0] = value
        interpreter.set_tensor(input_index, values)
        interpreter.invoke()
        return float(interpreter.get_tensor(output_index).item())

    for _ in range(WARM_UP):
        call(2.0)
    durations = []
    for _ in range(iterations):
        start = time.perf_counter_ns()
        result = call(2.0)
        durations.append(time.perf_counter_ns() - start)
    durations.sort()
    return {
        "result": result,
        "iterations": iterations,
        "median_ns": statistics.median(durations),
        "p95_ns": durations[int(iterations * 0.95)],
        "min_ns": durations[0],
    }


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--iterations", type=int, default=50_000)
    arguments = parser.parse_args()
    interpreter = Interpreter(model_path=str(arguments.model), num_threads=1)
    print(json.dumps(measure(interpreter, arguments.iterations), indent=2))


if __name__ == "__main__":
    main()
