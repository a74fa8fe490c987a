#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Makes Tests/Fixtures/Recognized: models that `tensorio init` recognizes by their metadata or their shapes.

    Scripts/setup.sh --peers   # prints the path of a Python that has what this needs
    PYTHON Tools/make_recognized.py

Each is described in fixtures/recognized.py or fixtures/parameters.py. The script runs every model once.
"""

from pathlib import Path

from ai_edge_litert.interpreter import Interpreter
from fixtures import parameters, recognized

FOLDER = Path(__file__).resolve().parent.parent / "Tests/Fixtures/Recognized"


def main() -> None:
    """Writes and runs all models."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for maker in [*recognized.MAKERS, *parameters.MAKERS]:
        path = FOLDER / f"{maker.__name__}.tflite"
        path.write_bytes(maker())
        interpreter = Interpreter(str(path))
        interpreter.allocate_tensors()
        interpreter.invoke()
        shapes = [list(output["shape"]) for output in interpreter.get_output_details()]
        print(f"{path.name} {path.stat().st_size} bytes, outputs {shapes}")


if __name__ == "__main__":
    main()
