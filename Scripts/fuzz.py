#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Runs the tensorio command on corrupted files, each in a separate process.

    Scripts/fuzz.py --binary .build/debug/tensorio [--count 2000] [--seed 1]

The script truncates, flips and splices models, descriptions (model.json), images and datasets (tables, NumPy
files and MLPerf Tiny's sample files). If TensorFlow is
installed, it does the same with a quarter as many SavedModels, because opening TensorFlow is slow. The
command must exit with 0 if the file is still valid, or with 65 and a message. Anything else is a failure,
above all a signal. The file of a failure is kept and its path is printed. This needs only the standard
library.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODELS = ROOT / "Tests/Fixtures/Models"
SAVED_MODELS = ROOT / "Tests/Fixtures/SavedModels"
IMAGES = ROOT / "Tests/Fixtures/Images"
DIGITS = ROOT / "Demo/digits.tiobundle"
PICTURE = ROOT / "Demo/images/digit-7-01.png"
TIMEOUT_SECONDS = 5


@dataclasses.dataclass
class Seed:
    """A valid file, and the kind that determines how a corrupted copy is run."""

    kind: str
    path: Path


@dataclasses.dataclass
class Outcome:
    """The result of a command; the fault is None if the result is as expected."""

    status: int
    fault: str | None


def corrupt(data: bytes, other: bytes, random_source: random.Random) -> bytes:
    """Returns a truncated, flipped or spliced copy."""
    way = random_source.randrange(5)
    if not data:
        return bytes([random_source.randrange(256)])
    if way == 0:
        return data[: random_source.randrange(len(data))]
    changed = bytearray(data)
    if way in (1, 2):
        for _ in range(random_source.choice([1, 1, 2, 4, 16, 64])):
            position = random_source.randrange(len(changed))
            if way == 1:
                changed[position] ^= 1 << random_source.randrange(8)
            else:
                changed[position] = random_source.choice([0, 1, 0x7F, 0x80, 0xFF])
        return bytes(changed)
    length = random_source.randrange(1, min(len(other), 64) + 1)
    start = random_source.randrange(len(other) - length + 1)
    position = random_source.randrange(len(changed))
    if way == 3:
        changed[position : position + length] = other[start : start + length]
    else:
        changed[position:position] = other[start : start + length]
    return bytes(changed)


def make_bundles(binary: str, folder: Path) -> dict[Path, Path]:
    """Makes a bundle for every model that the command can describe and run."""
    bundles: dict[Path, Path] = {}
    models = sorted(MODELS.glob("*.tflite")) + [DIGITS / "model.tflite"]
    for model in models + sorted(path.parent for path in SAVED_MODELS.glob("*/saved_model.pb")):
        bundle = folder / f"{model.stem}.tiobundle"
        made = run([binary, "init", str(model), "-o", str(bundle)])
        if made.returncode == 0 and run(command(binary, bundle)).returncode == 0:
            bundles[model] = bundle
    return bundles


def command(binary: str, bundle: Path) -> list[str]:
    """Returns the command for a single run on inputs of zeros."""
    return [binary, "bench", str(bundle), "--iterations", "1", "--warmup", "0",
            "--timeout", str(TIMEOUT_SECONDS), "--json"]


def make_datasets(folder: Path) -> list[Path]:
    """Makes a dataset of every layout of values, for a model that takes 144 numbers."""
    folder.mkdir()
    names = [f"c{index}" for index in range(144)]
    rows = [[(row * 7 + index) % 13 / 4 for index in range(144)] for row in range(4)]
    lines = [",".join([*names, "label"])]
    lines += [",".join([*map(str, row), str(index)]) for index, row in enumerate(rows)]
    (folder / "rows.csv").write_text("\n".join(lines) + "\n")
    (folder / "rows.jsonl").write_text(
        "".join(json.dumps({"x": row, "label": index}) + "\n" for index, row in enumerate(rows)))
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 144), }\n"
    numbers = [number for row in rows for number in row]
    values = struct.pack(f"<{len(numbers)}f", *numbers)
    array = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + values
    (folder / "x.npy").write_bytes(array)
    with zipfile.ZipFile(folder / "arrays.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", array)
    (folder / "y_labels.csv").write_text("s.bin, 144, 3, 576, 576\nt.bin, 144, 1, 576, 4\n")
    return sorted(folder.iterdir())


def make_echo(folder: Path) -> None:
    """Makes a bundle of a model that returns 144 numbers, the scores of as many classes."""
    (folder / "assets").mkdir(parents=True)
    (folder / "assets/labels.txt").write_text("".join(f"class {index}\n" for index in range(144)))
    shutil.copy(MODELS / "identity_image.tflite", folder / "model.tflite")
    layer = {"type": "array", "shape": [1, 144]}
    document = dict.fromkeys(["name", "details", "id", "version", "author", "license"], "echo")
    document["model"] = {"file": "model.tflite", "quantized": False}
    document |= {"inputs": [{"name": "x", **layer}], "outputs": [{"name": "y", **layer, "labels": "labels.txt"}]}
    (folder / "model.json").write_text(json.dumps(document))


def run(arguments: list[str]) -> subprocess.CompletedProcess:
    return subprocess.run(arguments, capture_output=True, timeout=TIMEOUT_SECONDS + 30, check=False)


def try_one(binary: str, folder: Path, number: int, seed: Seed, data: bytes,
            bundles: dict[Path, Path]) -> Outcome:
    """Runs the command on a corrupted file, and keeps the file if the outcome is a fault."""
    place = folder / f"{seed.kind}-{number}"
    bundle = place / "fuzz.tiobundle"
    if seed.kind == "image":
        place.mkdir(parents=True)
        file = place / f"picture{seed.path.suffix}"
        arguments = [binary, "run", str(DIGITS), f"@{file}", "--json",
                     "--timeout", str(TIMEOUT_SECONDS)]
    elif seed.kind == "dataset":
        place.mkdir(parents=True)
        file = place / seed.path.name
        for name in ("s.bin", "t.bin"):
            (place / name).write_bytes(bytes(576))
        arguments = [binary, "evaluate", str(file), "--model", str(folder / "echo.tiobundle"), "--json"]
    elif seed.kind == "saved model":
        source = next(path for path in bundles if path in seed.path.parents)
        shutil.copytree(bundles[source], bundle)
        folder = next(path.parent for path in bundle.glob("*/saved_model.pb"))
        file = folder / seed.path.relative_to(source)
        arguments = command(binary, bundle)
    else:
        source = bundles[seed.path] if seed.kind == "model" else seed.path.parent
        shutil.copytree(source, bundle)
        file = bundle / ("model.json" if seed.kind == "json" else model_name(bundle))
        arguments = command(binary, bundle)
    file.write_bytes(data)
    try:
        result = run(arguments)
    except subprocess.TimeoutExpired:
        return Outcome(-1, f"hung: {' '.join(arguments)}")
    fault = None
    if result.returncode not in (0, 65):
        fault = f"exit {result.returncode}: {' '.join(arguments)}: {result.stderr[-300:]!r}"
    elif result.returncode == 65 and not result.stderr.strip():
        fault = f"no message: {' '.join(arguments)}"
    if fault is None:
        shutil.rmtree(place)
    return Outcome(result.returncode, fault)


def model_name(bundle: Path) -> str:
    return next(file.name for file in bundle.iterdir() if file.suffix == ".tflite")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--count", type=int, default=2000, help="corrupted files of each kind")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="tensorio-fuzz-"))
    bundles = make_bundles(options.binary, folder)
    if not bundles:
        print("error: no fixture model could be run", file=sys.stderr)
        return 1
    make_echo(folder / "echo.tiobundle")
    seeds = {
        "model": [Seed("model", path) for path in bundles if path.is_file()],
        "json": [Seed("json", bundle / "model.json") for bundle in bundles.values()],
        "saved model": [Seed("saved model", file) for path in bundles if path.is_dir()
                        for file in sorted(path.rglob("*")) if file.is_file()],
        "image": [Seed("image", path) for path in sorted(IMAGES.iterdir())
                  if path.suffix in (".jpg", ".png", ".bmp", ".webp")] + [Seed("image", PICTURE)],
        "dataset": [Seed("dataset", path) for path in make_datasets(folder / "datasets")],
    }
    random_source = random.Random(options.seed)
    faults: list[str] = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for kind, files in seeds.items():
            jobs = []
            for number in range(options.count // (4 if kind == "saved model" else 1) if files else 0):
                seed = random_source.choice(files)
                other = random_source.choice(files).path.read_bytes() or b"\0"
                data = corrupt(seed.path.read_bytes(), other, random_source)
                jobs.append(pool.submit(
                    try_one, options.binary, folder, number, seed, data, bundles))
            outcomes = [job.result() for job in jobs]
            faults += [outcome.fault for outcome in outcomes if outcome.fault]
            valid = sum(outcome.status == 0 for outcome in outcomes)
            refused = sum(outcome.status == 65 for outcome in outcomes)
            print(f"{kind}: {valid} still valid, {refused} refused, "
                  f"{len(outcomes) - valid - refused} faults")
    for fault in faults[:20]:
        print(f"fault: {fault}", file=sys.stderr)
    if not faults:
        shutil.rmtree(folder)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
