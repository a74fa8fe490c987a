#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Compares the programs' sizes and instructions with Benchmarks/budgets.json, and reports what grew.

    Benchmarks/budget.py --programs .build/release [--update]

Sizes are those of stripped copies. valgrind's callgrind counts instructions, so other work on the machine
does not matter. Instructions depend on the processor's architecture and on the system's libraries, and sizes
also on the compiler. The file therefore names the machine of its figures. On another kind of machine, the
figures are shown and not compared. This needs valgrind, and LiteRT where the set-up puts it.

Exit codes: 0 within the budgets, 1 over a budget, 69 something is missing.
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
    """Describes what figures depend on: the processor as valgrind presents it, glibc and the compiler."""
    swift = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=True).stdout
    version = re.search(r"Swift version ([0-9.]+)", swift)
    libc = " ".join(platform.libc_ver())
    processor = platform.machine()
    if " avx2 " in Path("/proc/cpuinfo").read_text():
        processor += " with AVX2"
    return f"{processor}, {libc}, Swift {version.group(1) if version else 'unknown'}"


def fail(message: str) -> None:
    """Ends the program because it cannot measure."""
    print(f"error: {message}", file=sys.stderr)
    sys.exit(69)


def stripped(program: Path, folder: Path) -> Path:
    """Returns a copy without symbols, because valgrind cannot read the original's debug information."""
    copy = folder / program.name
    subprocess.run(["strip", "-o", copy, program], check=True)
    return copy


def instructions(arguments: list, folder: Path) -> int:
    """Counts the instructions of a command and its child processes."""
    for old in folder.glob("callgrind.*"):
        old.unlink()
    # Swift's hash seeds and the addresses would otherwise be random.
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
    """Returns the cost of one more item, from the difference between two runs of different lengths."""
    counts = [instructions([program, *arguments(count)], folder) for count in (short, long)]
    return round((counts[1] - counts[0]) / (long - short))


def bulk_arguments(folder: Path):
    """Returns the arguments of a bulk run over a number of images."""
    def arguments(count: int) -> list:
        photos = folder / f"photos-{count}"
        photos.mkdir(exist_ok=True)
        for index in range(count):
            shutil.copy(PHOTO, photos / f"{index:03}.jpg")
        return ["bulk", photos, "--model", BUNDLE, "-o", folder / f"rows-{count}.sqlite", "--force",
                "--threads", "1"]
    return arguments


def packages() -> int:
    """Counts the packages that a build of the core fetches."""
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
    """Returns every figure, by its name in the file."""
    figures = {"packages the core resolves": packages()}
    copies = {}
    for name in PROGRAMS:
        if (folder / name).exists():
            copies[name] = stripped(folder / name, scratch)
            figures[f"size of {name}"] = copies[name].stat().st_size
    program = copies.get("tensorio") or fail(f"{folder} has no tensorio. Run make build.")
    figures["instructions of --version"] = instructions([program, "--version"], scratch)
    figures["instructions of one shot on a digit"] = instructions(
        [program, "run", BUNDLE, DIGIT], scratch)
    figures["instructions of one shot on a photo"] = instructions(
        [program, "run", BUNDLE, PHOTO], scratch)
    add = scratch / "add.tiobundle"
    add.mkdir()
    shutil.copy(ROOT / "Tests/Fixtures/Models/add.tflite", add / "model.tflite")
    (add / "model.json").write_text(json.dumps(ADD))
    # `bench` would sort the measured times, which takes longer on a busy machine.
    figures["instructions of one call on one float"] = slope(
        program, scratch, 1000, 3000,
        lambda count: ["run", add, "1", "--iterations", count])
    figures["instructions of one bulk photo"] = slope(
        program, scratch, 20, 60, bulk_arguments(scratch))
    return figures


def compare(figures: dict[str, int], document: dict) -> bool:
    """Prints a line for each budget, and returns whether all are kept."""
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
