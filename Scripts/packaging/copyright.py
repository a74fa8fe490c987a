#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Prints the copyright file of the installed programs, with the authors of their parts.

    copyright.py --checkouts .build/checkouts
    copyright.py --checkouts .build/checkouts --static .build/static-libraries

The programs contain Swift's libraries and the packages that SwiftPM fetched into the checkouts. For
packages under the Apache License the script prints their notices, and for every other package its whole
license. --static names the folder of static_libraries.sh. The programs then also contain these libraries
of the system, and the script prints the copyright files of their packages.

This needs only the standard library of Python 3.9 or later.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

HEADER = """TensorIO for Swift
==================

Copyright the TensorIO for Swift authors

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    https://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.

On Debian systems, the text of the License is in
/usr/share/common-licenses/Apache-2.0.
"""

SWIFT = """Swift's standard library, Foundation and Dispatch
=================================================

The programs contain these libraries. Copyright Apple Inc. and the Swift project authors; Apache
License, Version 2.0, with Runtime Library Exception, which permits it to distribute programs that
contain the libraries without the license's text.
"""


def heading(name: str) -> str:
    return f"{name}\n{'=' * len(name)}\n"


def text_of(folder: Path, pattern: str) -> str:
    files = sorted(folder.glob(pattern))
    return files[0].read_text(encoding="utf-8").strip() + "\n" if files else ""


def package_sections(checkouts: Path) -> list[str]:
    """Returns a section for each package."""
    sections = []
    for folder in sorted(checkouts.iterdir(), key=lambda path: path.name.lower()):
        if not folder.is_dir():
            continue
        license_text = text_of(folder, "LICENSE*")
        if not license_text:
            raise SystemExit(f"error: {folder} has no license.")
        section = heading(folder.name) + "\n"
        if "Apache License" in license_text:
            exception = " with Runtime Library Exception" if "Runtime Library" in license_text else ""
            section += f"Apache License, Version 2.0{exception}.\n"
            notice = text_of(folder, "NOTICE*")
            if notice:
                section += "\n" + notice
        else:
            section += license_text
        sections.append(section)
    return sections


def owners(library: Path) -> set[str]:
    """Returns the Debian packages of a library, or of the files that a linker script names."""
    words = [str(library.resolve())]
    data = library.read_bytes()
    if not data.startswith(b"!<arch>"):
        words = [word for word in data.decode().split() if word.startswith("/")]
    result = subprocess.run(
        ["dpkg-query", "--search", *{str(Path(word).resolve()) for word in words}],
        stdout=subprocess.PIPE, text=True, check=True)
    return {line.split(":")[0] for line in result.stdout.splitlines()}


def library_sections(folder: Path) -> list[str]:
    """Returns a section for each system package with a statically linked library."""
    packages = set().union(*(owners(library) for library in sorted(folder.glob("*.a"))))
    sections = []
    for package in sorted(packages):
        path = Path("/usr/share/doc") / package / "copyright"
        sections.append(heading(package) + "\n" + path.read_text(encoding="utf-8").strip() + "\n")
    return sections


def main() -> int:
    parser = argparse.ArgumentParser(description="Prints the copyright file.")
    parser.add_argument("--checkouts", type=Path, required=True)
    parser.add_argument("--static", type=Path, metavar="FOLDER",
                        help="the folder of static_libraries.sh")
    arguments = parser.parse_args()
    if not arguments.checkouts.is_dir():
        print(f"error: {arguments.checkouts} is missing; it is there after a build.",
              file=sys.stderr)
        return 66
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8").strip() + "\n"
    sections = [HEADER, heading("NOTICE") + "\n" + notice, SWIFT]
    sections += package_sections(arguments.checkouts)
    if arguments.static:
        sections += library_sections(arguments.static)
    sys.stdout.reconfigure(encoding="utf-8")
    print("\n\n".join(sections), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
