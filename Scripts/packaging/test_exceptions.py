#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Checks that a program survives an exception of LiteRT: test_exceptions.py PROGRAM

The program runs the demo's model with a library that throws a C++ exception where LiteRT reads a model, and has
LiteRT's own functions otherwise. link.py keeps what the program needs to catch it.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = '''
#include <stdexcept>
extern "C" int LiteRtCreateModelFromBuffer() { throw std::logic_error("thrown by the test"); }
'''


def main() -> int:
    program = Path(sys.argv[1]).resolve()
    found = subprocess.run([program, "doctor", "--json"], capture_output=True, text=True, check=False).stdout
    library = next((word for word in found.replace('"', "\n").splitlines() if word.endswith("libLiteRt.so")), None)
    if library is None:
        sys.exit("test_exceptions.py: LiteRT is missing. Run make setup.")
    # The clang++ of Swift compiles CLiteRT, too.
    compiler = Path(shutil.which("swiftc") or "swiftc").resolve().parent / "clang++"
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "throwing.cpp"
        source.write_text(SOURCE)
        throwing = Path(folder) / "libthrowing.so"
        place = Path(library).parent
        subprocess.run(
            [compiler, "-shared", "-fPIC", "-Wl,--no-as-needed", "-o", throwing, source, f"-L{place}",
             f"-l:{Path(library).name}", f"-Wl,-rpath,{place}"], check=True)
        result = subprocess.run(
            [program, "run", ROOT / "Demo/digits.tiobundle", ROOT / "Demo/images/digit-7-01.png"],
            env={**os.environ, "TENSORIO_LITERT_LIBRARY": str(throwing)}, capture_output=True, text=True, check=False)
    if result.returncode != 65 or "the runtime threw an exception" not in result.stderr:
        sys.exit(f"{program} doesn't catch LiteRT's exceptions: status {result.returncode}, {result.stderr}")
    print("exceptions of LiteRT are caught")
    return 0


if __name__ == "__main__":
    sys.exit(main())
