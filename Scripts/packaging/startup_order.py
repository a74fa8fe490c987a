#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Writes startup_order.txt, which lists the functions that a start and a single run call.

    Scripts/packaging/startup_order.py --program .build/release/tensorio

The linker places these functions next to each other. Without the list they are spread over the whole
program, and the system reads 64 KB around each of them. A single run then took 20.2 MB instead of
16.6 MB. A name that no longer exists does no harm, and a missing name costs a page, so the list doesn't
need an update for every change. The script needs valgrind, and LiteRT as installed by setup.sh. The
program must have its symbols.

Exit codes: 69 something is missing.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LIST = Path(__file__).resolve().parent / "startup_order.txt"
DIGITS = "Demo/digits.tiobundle"
RUNS = (
    ["--version"],
    ["run", DIGITS, "Demo/images/digit-7-01.png", "--top", "3"],
    ["run", DIGITS, "Benchmarks/photo-640x480.jpg", "--json"],
)


def called(program: Path, arguments: list[str], folder: Path) -> set[str]:
    """Returns the names of the functions that a run calls, including those in child processes."""
    for path in folder.iterdir():
        path.unlink()
    command = ["valgrind", "--quiet", "--tool=callgrind", "--trace-children=yes", "--demangle=no",
               f"--callgrind-out-file={folder}/%p", str(program), *arguments]
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=True)
    names = set()
    for path in folder.iterdir():
        # The name of a recursive call ends with its depth, such as name'2.
        names |= set(re.findall(r"fn=\(\d+\) (\S+?)(?:'\d+)?$", path.read_text(), re.MULTILINE))
    return names


def defined(program: Path) -> set[str]:
    """Returns the names of the symbols that the program defines."""
    lines = subprocess.run(["nm", "--defined-only", "--format=posix", str(program)],
                           capture_output=True, text=True, check=True).stdout.splitlines()
    return {line.split(" ", 1)[0] for line in lines}


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes the functions that a start calls.")
    parser.add_argument("--program", type=Path, required=True)
    options = parser.parse_args()
    names: set[str] = set()
    try:
        with tempfile.TemporaryDirectory() as folder:
            for arguments in RUNS:
                names |= called(options.program.resolve(), arguments, Path(folder))
        names &= defined(options.program)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 69
    LIST.write_text("".join(f"{name}\n" for name in sorted(names)))
    print(f"{LIST.relative_to(ROOT)}: {len(names)} functions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
