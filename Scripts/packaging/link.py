#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Links a release program with lld, without the tables for unwinding the stack of Swift's functions.

The compiler calls this as its linker. The tables are .eh_frame and its index, 2 MB of `tensorio`. They are only read
when a C++ exception is thrown. LiteRT throws exceptions, and functions of the module CLiteRT catch them. No other
function of the program is between the two, so only those of C and C++ in this package keep their tables. The compiler
has no option to leave them out.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def expanded(arguments: list[str]) -> list[str]:
    """Returns the arguments with the contents of response files."""
    result = []
    for argument in arguments:
        if argument.startswith("@") and os.path.isfile(argument[1:]):
            result += expanded(shlex.split(Path(argument[1:]).read_text()))
        else:
            result.append(argument)
    return result


def input_of(argument: str, libraries: Path | None) -> str | None:
    """Returns the path of an object or archive of Swift's that an argument names, or None."""
    if argument.endswith(".swift.o"):
        return argument
    if libraries is None:
        return None
    archive = libraries / f"lib{argument[2:]}.a"
    return str(archive) if argument.startswith("-l") and archive.is_file() else None


def main() -> int:
    compiler = shutil.which("swiftc")
    if compiler is None:
        sys.exit("link.py: PATH has no swiftc, which the linker is beside.")
    tools = Path(compiler).resolve().parent
    arguments = expanded(sys.argv[1:])
    folders = [Path(argument[2:]).resolve() for argument in arguments if argument.startswith("-L")]
    # Tools of the build, such as plugins, are linked with shared libraries.
    static = tools.parent / "lib" / "swift_static" / "linux"
    libraries = static if static in folders else None
    inputs = {path for argument in arguments if (path := input_of(argument, libraries))}
    with tempfile.TemporaryDirectory(prefix="tensorio-link-") as folder:
        copies = {path: f"{folder}/{index}{Path(path).suffix}" for index, path in enumerate(sorted(inputs))}

        def strip(path: str) -> None:
            subprocess.run(
                [tools / "llvm-objcopy", "--remove-section=.eh_frame", path, copies[path]], check=True)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(strip, copies))
        response = Path(folder) / "arguments"
        response.write_text("\n".join(
            shlex.quote(copies.get(input_of(argument, libraries) or "", argument)) for argument in arguments))
        return subprocess.run([tools / "ld.lld", f"@{response}"]).returncode


if __name__ == "__main__":
    sys.exit(main())
