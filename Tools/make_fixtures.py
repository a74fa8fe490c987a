# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Writes the tiny models that the tests run, and the goldens to compare their outputs with.

    python Tools/make_fixtures.py [--only NAME...]

Needs Tools/requirements-models.txt. Models go to Tests/Fixtures/Models, one file a function of
fixtures/converted.py, fixtures/built.py, fixtures/operators.py and fixtures/metadata.py. The same versions of the
tools write the same bytes again.
"""

import argparse
import functools
import json
import os
import warnings
from collections.abc import Callable
from importlib import metadata as packages
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
warnings.filterwarnings("ignore", module="tensorflow")

from fixtures import built, converted, metadata, operators, trained  # noqa: E402
from fixtures.cases import CASES, CRASHES, REFUSALS, Case  # noqa: E402
from fixtures.table import write_table  # noqa: E402
from peers import run_model  # noqa: E402

FOLDER = Path(__file__).resolve().parent.parent / "Tests" / "Fixtures" / "Models"

MAKERS: list[Callable[[], bytes]] = [
    converted.add,
    converted.matmul,
    converted.photo_classes,
    built.identity_image,
    built.identity_image_uint8,
    built.identity_image_int8,
    built.identity_image_planes,
    built.identity_image_gray_uint8,
    converted.two_signatures,
    converted.dynamic_batch,
    converted.fixed_batch,
    built.string,
    built.scalar,
    built.no_signature,
    built.signature_order,
    built.passthrough,
    converted.classifier_labels,
    converted.int8_quantized,
    converted.uint8_quantized,
    built.per_channel,
    built.blockwise,
    built.blockwise_int8,
    built.blockwise_crash,
    built.blockwise_output,
    built.crash_on_run,
    built.endless_graphs,
    converted.dynamic_output,
    converted.slow,
    converted.remainder,
    converted.crash_on_white,
    converted.resource_variable,
    converted.train_builtin,
    converted.train_flex,
    built.stateful,
    operators.lstm_int8,
    operators.detector,
    operators.edgetpu,
    built.custom_op,
    built.oversized,
    built.external_buffers,
    metadata.with_metadata,
    metadata.image_with_metadata,
]


def makers() -> dict[str, Callable[[], bytes]]:
    """Every fixture's name with the function that makes it."""
    found = {maker.__name__: maker for maker in MAKERS}
    for name, element_type in built.ELEMENT_TYPES.items():
        found[f"reverse_{name}"] = functools.partial(built.reverse, element_type)
    return found


def golden(case: Case) -> dict:
    """Runs a case with Python's interpreter and describes it for expected.json."""
    content = (FOLDER / f"{case.file}.tflite").read_bytes()
    result = run_model.run(content, case.inputs, case.signature, case.shapes)
    return {
        "file": f"{case.file}.tflite",
        "signature": case.signature,
        "tolerance": case.tolerance,
        "note": case.note,
        **result,
    }


def write_goldens() -> None:
    """Writes expected.json: models that run, that LiteRT refuses, that end the process, and that learn."""
    refused = {refusal.file for refusal in REFUSALS}
    document = {
        "versions": {name: packages.version(name) for name in ["ai-edge-litert", "tensorflow-cpu"]},
        "cases": [golden(case) for case in CASES if case.file not in refused],
        "refusals": [
            {"file": f"{item.file}.tflite", "step": item.step, "status": item.status}
            for item in REFUSALS
        ],
        "crashes": [f"{name}.tflite" for name in CRASHES],
        "interpreter_only": [golden(case) for case in CASES if case.file in refused],
        "trainings": [trained.golden()],
    }
    (FOLDER / "expected.json").write_text(json.dumps(document, indent=2) + "\n")


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="these models only")
    chosen = parser.parse_args().only
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, maker in makers().items():
        if not chosen or name in chosen:
            content = maker()
            (FOLDER / f"{name}.tflite").write_bytes(content)
            print(f"{name}.tflite {len(content)} bytes", flush=True)
    write_goldens()
    write_table(FOLDER, makers())


if __name__ == "__main__":
    main()
