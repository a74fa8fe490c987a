#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Writes startup_order.txt: the functions that a start and one shot call.

    Scripts/packaging/startup_order.py --program .build/release/tensorio

The linker puts these beside each other. Without the list they are spread over the whole program, and
the system reads 64 KB around each of them: one shot held 20.2 MB in place of 16.6 MB. A name that is
gone does no harm, and a missing one costs a page; so the list need not follow every change.
Needs valgrind, and LiteRT where the set-up puts it. The program must have its symbols.

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
    """The names of the functions that a run calls, in the program's child processes, too."""
    for path in folder.iterdir():
        path.unlink()
    command = ["valgrind", "--quiet", "--tool=callgrind", "--trace-children=yes", "--demangle=no",
               f"--callgrind-out-file={folder}/%p", str(program), *arguments]
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=True)
    names = set()
    for path in folder.iterdir():
        # A recursive call's name ends with its depth: name'2.
        names |= set(re.findall(r"fn=\(\d+\) (\S+?)(?:'\d+)?$", path.read_text(), re.MULTILINE))
    return names


def defined(program: Path) -> set[str]:
    """The names that the program itself defines."""
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
