#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Compares what the programs cost with Benchmarks/budgets.json, and says what grew.

    Benchmarks/budget.py --programs .build/release [--update]

Sizes are of stripped copies. Instructions are counted by valgrind's callgrind: they do not depend on
what else the machine does. They depend on the processor's architecture and on the system's libraries, and
sizes on the compiler, too: the file says which machine its figures are of, and on another kind they
are shown and not compared. Needs valgrind, and LiteRT where the set-up puts it.

Exit codes: 0 within the budgets, 1 over one, 69 something is missing.
"""

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "Benchmarks/budgets.json"
PHOTO = ROOT / "Benchmarks/photo-640x480.jpg"
DIGIT = ROOT / "Demo/images/digit-7-01.png"
BUNDLE = ROOT / "Demo/digits.tiobundle"
ADD = {
    "name": "Add", "details": "", "id": "add", "version": "1", "author": "", "license": "",
    "model": {"file": "model.tflite", "quantized": False},
    "inputs": [{"name": "x", "type": "array", "shape": [1]}],
    "outputs": [{"name": "y", "type": "array", "shape": [1]}],
}
PROGRAMS = ("tensorio", "tensorio-netrunner", "tensorio-repository")


def machine() -> str:
    """What figures depend on: the processor as valgrind shows it, glibc and the compiler."""
    swift = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=True).stdout
    version = re.search(r"Swift version ([0-9.]+)", swift)
    libc = " ".join(platform.libc_ver())
    processor = platform.machine()
    if " avx2 " in Path("/proc/cpuinfo").read_text():
        processor += " with AVX2"
    return f"{processor}, {libc}, Swift {version.group(1) if version else 'unknown'}"


def fail(message: str) -> None:
    """Ends the program where it cannot measure."""
    print(f"error: {message}", file=sys.stderr)
    sys.exit(69)


def stripped(program: Path, folder: Path) -> Path:
    """A copy without symbols, which is also what valgrind can read."""
    copy = folder / program.name
    subprocess.run(["strip", "-o", copy, program], check=True)
    return copy


def instructions(arguments: list, folder: Path) -> int:
    """How many instructions a command takes, its child processes included."""
    for old in folder.glob("callgrind.*"):
        old.unlink()
    # Swift's hashes begin with a random number unless told; so do addresses.
    environment = {**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1", "NO_COLOR": "1"}
    command = ["setarch", "--addr-no-randomize", "valgrind", "--tool=callgrind", "--trace-children=yes",
               f"--callgrind-out-file={folder}/callgrind.%p", "--quiet", *map(str, arguments)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        fail(f"'{' '.join(map(str, arguments))}' failed under valgrind: {result.stderr[-500:]}")
    totals = [re.search(r"^(?:totals|summary): (\d+)", file.read_text(), re.MULTILINE)
              for file in folder.glob("callgrind.*")]
    return sum(int(total.group(1)) for total in totals if total)


def slope(program: Path, folder: Path, short: int, long: int, arguments) -> int:
    """What one more of something takes: the difference of two lengths, a share of it each."""
    counts = [instructions([program, *arguments(count)], folder) for count in (short, long)]
    return round((counts[1] - counts[0]) / (long - short))


def bulk_arguments(folder: Path):
    """The arguments of a bulk run over a number of photos."""
    def arguments(count: int) -> list:
        photos = folder / f"photos-{count}"
        photos.mkdir(exist_ok=True)
        for index in range(count):
            shutil.copy(PHOTO, photos / f"{index:03}.jpg")
        return ["bulk", photos, "--model", BUNDLE, "-o", folder / f"rows-{count}.sqlite", "--force",
                "--threads", "1"]
    return arguments


def packages() -> int:
    """How many packages a build of the core fetches."""
    with tempfile.TemporaryDirectory() as folder:
        output = subprocess.run(
            ["swift", "package", "--scratch-path", folder, "show-dependencies", "--format", "json"],
            cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found = set()

    def collect(package: dict) -> None:
        for dependency in package["dependencies"]:
            found.add(dependency["identity"])
            collect(dependency)
    collect(json.loads(output[output.index("{"):]))
    return len(found)


def measure(folder: Path, scratch: Path) -> dict[str, int]:
    """Every figure, by the name that it has in the file."""
    figures = {"packages the core resolves": packages()}
    copies = {}
    for name in PROGRAMS:
        if (folder / name).exists():
            copies[name] = stripped(folder / name, scratch)
            figures[f"size of {name}"] = copies[name].stat().st_size
    program = copies.get("tensorio") or fail(f"there is no tensorio in {folder}; make build")
    figures["instructions of --version"] = instructions([program, "--version"], scratch)
    figures["instructions of one shot on a digit"] = instructions(
        [program, "run", BUNDLE, DIGIT], scratch)
    figures["instructions of one shot on a photo"] = instructions(
        [program, "run", BUNDLE, PHOTO], scratch)
    add = scratch / "add.tiobundle"
    add.mkdir()
    shutil.copy(ROOT / "Tests/Fixtures/Models/add.tflite", add / "model.tflite")
    (add / "model.json").write_text(json.dumps(ADD))
    figures["instructions of one call on one float"] = slope(
        program, scratch, 1000, 3000,
        lambda count: ["bench", add, "1", "--iterations", count, "--warmup", 0])
    figures["instructions of one bulk photo"] = slope(
        program, scratch, 20, 60, bulk_arguments(scratch))
    return figures


def compare(figures: dict[str, int], document: dict) -> bool:
    """Prints a line for each budget; whether all are kept."""
    kept = True
    is_same_machine = document["machine"] == machine()
    if not is_same_machine:
        print(f"The budgets are of '{document['machine']}', this is '{machine()}': figures that depend "
              "on it are shown only.")
    for name, budget in document["budgets"].items():
        if name not in figures:
            print(f"  {name}: not built, not compared")
            continue
        tolerance = budget.get("tolerance", document["tolerance"])
        change = figures[name] / budget["limit"] - 1 if budget["limit"] else 0.0
        line = f"{name}: {figures[name]:,} {budget['unit']}, {change:+.2%} of {budget['limit']:,}"
        depends = budget["unit"] != "packages"
        if change > tolerance and (is_same_machine or not depends):
            kept = False
            print(f"OVER  {line}. {budget['reason']}")
        else:
            print(f"  {line}" + ("; lower the budget" if change < -2 * max(tolerance, 0.01) else ""))
    return kept


def main() -> int:
    """Runs the program."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=Path, default=ROOT / ".build/release")
    parser.add_argument("--update", action="store_true", help="write the figures as the new budgets")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        fail("valgrind is missing: apt-get install valgrind")
    document = json.loads(FILE.read_text())
    with tempfile.TemporaryDirectory() as scratch:
        figures = measure(options.programs, Path(scratch))
    if options.update:
        for name, figure in figures.items():
            document["budgets"].setdefault(name, {"unit": "bytes", "reason": ""})["limit"] = figure
        document["machine"] = machine()
        FILE.write_text(json.dumps(document, indent=2) + "\n")
    if not compare(figures, document):
        print("A budget is exceeded. Find what grew (callgrind_annotate, nm --size-sort), or say in "
              "Benchmarks/budgets.json why the program is worth more.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
