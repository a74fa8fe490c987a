#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Makes a Python wheel of the built programs and the package that runs models, and prints its path.

    wheel.py                                  from .build/wheel-build/release into .build/packages
    wheel.py --programs FOLDER --output FOLDER

The programs must not need any library except glibc. `make wheel` links everything else statically. The tag
of the wheel names the oldest glibc that has every function that the programs call. SOURCE_DATE_EPOCH is
the time of every file (default: the time of the last commit). The same programs always make the same
wheel, byte for byte.

This needs only the standard library of Python 3.9 or later, and whatever install.sh needs.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import re
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Scripts"))
sys.dont_write_bytecode = True

import fetch_library  # noqa: E402

PROJECT = "tensorio-swift"
PACKAGE = ROOT / "Python/tensorio"
PROGRAMS = ("tensorio", "tensorio-netrunner", "tensorio-repository")

# The libraries of glibc. manylinux also permits libstdc++ and libgcc_s, but they may be missing on a
# machine that has only Python.
GLIBC = re.compile(r"(libc|libm|libdl|libpthread|librt|libutil|libresolv)\.so\.\d+|ld-linux.*\.so\.\d+")
MACHINES = {62: "x86_64", 183: "aarch64"}


class WheelError(Exception):
    """An error whose text says what happened and how to fix it."""


class Binary(NamedTuple):
    """The requirements in the ELF file of a program."""

    machine: str
    libraries: tuple[str, ...]
    versions: tuple[str, ...]
    """The symbol versions that the program needs, such as GLIBC_2.34."""


def read_binary(path: Path) -> Binary:
    """Reads the machine, the libraries and the symbol versions that a program needs."""
    data = path.read_bytes()
    if data[:6] != b"\x7fELF\x02\x01":
        raise WheelError(f"{path} is not a 64-bit ELF file.")
    machine = struct.unpack_from("<H", data, 18)[0]
    section_table, = struct.unpack_from("<Q", data, 40)
    entry_size, count = struct.unpack_from("<HH", data, 58)
    sections = []
    for index in range(count):
        _, kind, _, _, offset, size, link, info = struct.unpack_from(
            "<IIQQQQII", data, section_table + index * entry_size)
        sections.append((kind, offset, size, link, info))

    def text(table: int, position: int) -> str:
        start = sections[table][1] + position
        return data[start:data.index(b"\0", start)].decode()

    libraries, versions = [], []
    for kind, offset, size, link, info in sections:
        if kind == 6:  # SHT_DYNAMIC; DT_NEEDED is 1
            for position in range(offset, offset + size, 16):
                tag, value = struct.unpack_from("<qQ", data, position)
                if tag == 1:
                    libraries.append(text(link, value))
        elif kind == 0x6FFFFFFE:  # SHT_GNU_verneed: a list of libraries, each with a list of versions
            position = offset
            for _ in range(info):
                _, names, _, first, following = struct.unpack_from("<HHIII", data, position)
                name_position = position + first
                for _ in range(names):
                    _, _, _, name, next_name = struct.unpack_from("<IHHII", data, name_position)
                    versions.append(text(link, name))
                    name_position += next_name
                position += following
    return Binary(MACHINES.get(machine, ""), tuple(libraries), tuple(versions))


def platform_tag(binaries: dict[str, Binary]) -> str:
    """Returns the manylinux tag that fits all programs.

    Raises WheelError if a program needs more than glibc.
    """
    newest = (2, 17)
    for name, binary in binaries.items():
        if not binary.machine:
            raise WheelError(f"{name} is for a machine that wheels have no name for.")
        foreign = [library for library in binary.libraries if not GLIBC.fullmatch(library)]
        if foreign:
            raise WheelError(
                f"{name} needs {', '.join(foreign)}, which a machine with only Python may lack. "
                "Build the programs with 'make release-static'.")
        for version in binary.versions:
            found = re.fullmatch(r"GLIBC_(\d+)\.(\d+)(?:\.\d+)?", version)
            if found:
                newest = max(newest, (int(found[1]), int(found[2])))
            elif version == "GLIBC_ABI_DT_RELR":  # packed relocations
                newest = max(newest, (2, 36))
    machines = {binary.machine for binary in binaries.values()}
    if len(machines) != 1:
        raise WheelError(f"The programs are for several machines: {', '.join(sorted(machines))}.")
    return f"manylinux_{newest[0]}_{newest[1]}_{machines.pop()}"


def metadata(version: str) -> str:
    litert = fetch_library.LIBRARIES["litert"]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    headers = [
        "Metadata-Version: 2.4",
        f"Name: {PROJECT}",
        f"Version: {version}",
        "Summary: Run, train, measure and host TensorFlow Lite and TensorFlow models, "
        "from the command line and from Python",
        "Keywords: tensorflow,tflite,litert,inference,evaluation,machine learning",
        "Author: the TensorIO for Swift authors",
        "License-Expression: Apache-2.0",
        "License-File: LICENSE",
        "License-File: NOTICE",
        "License-File: copyright",
        "Classifier: Environment :: Console",
        "Classifier: Operating System :: POSIX :: Linux",
        "Classifier: Programming Language :: Python :: 3",
        "Classifier: Topic :: Scientific/Engineering :: Artificial Intelligence",
        "Classifier: Typing :: Typed",
        "Requires-Python: >=3.10",
        f"Requires-Dist: {litert.project}=={litert.version}",
        "Requires-Dist: numpy",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(headers) + "\n\n" + readme


def install(programs: Path, stage: Path) -> None:
    """Installs the files of `make install` into the staging folder."""
    subprocess.run(
        [str(ROOT / "Scripts/packaging/install.sh"), "install"], check=True,
        env={**os.environ, "PREFIX": "/", "DESTDIR": str(stage), "PROGRAMS": str(programs),
             "SYSTEMD": "no"})


def wheel_files(stage: Path, version: str, tag: str) -> dict[str, tuple[bytes, int]]:
    """Returns the content and the permissions of every file except the record, by name."""
    name = f"{PROJECT.replace('-', '_')}-{version}"
    documents = stage / "share/doc/tensorio"
    licenses = [documents / document for document in ("LICENSE", "NOTICE", "copyright")]
    files: dict[str, tuple[bytes, int]] = {}
    for path in sorted(stage.rglob("*")):
        relative = path.relative_to(stage).as_posix()
        if path.is_file() and path not in licenses:  # these are next to the metadata
            place = (f"scripts/{relative[4:]}" if relative.startswith("bin/") else f"data/{relative}")
            files[f"{name}.data/{place}"] = (path.read_bytes(), path.stat().st_mode & 0o777)
    for path in [*PACKAGE.glob("*.py"), PACKAGE / "py.typed"]:
        files[f"{PACKAGE.name}/{path.name}"] = (path.read_bytes(), 0o644)
    for path in licenses:
        files[f"{name}.dist-info/licenses/{path.name}"] = (path.read_bytes(), 0o644)
    files[f"{name}.dist-info/METADATA"] = (metadata(version).encode(), 0o644)
    files[f"{name}.dist-info/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: tensorio-swift (wheel.py)\nRoot-Is-Purelib: false\n"
        f"Tag: py3-none-{tag}\n".encode(), 0o644)
    return files


def record(files: dict[str, tuple[bytes, int]], name: str) -> bytes:
    lines = []
    for path, (content, _) in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        quoted = f'"{path}"' if "," in path else path
        lines.append(f"{quoted},sha256={digest},{len(content)}")
    return ("\n".join([*lines, f"{name},,"]) + "\n").encode()


def write_wheel(path: Path, files: dict[str, tuple[bytes, int]], record_name: str, epoch: int) -> None:
    # Zip files can't store an earlier time.
    moment = time.gmtime(max(epoch, 315532800))[:6]
    content = {**files, record_name: (record(files, record_name), 0o644)}
    # The wheel's own folder comes last, as the format recommends.
    names = sorted(content, key=lambda name: (".dist-info/" in name, name == record_name, name))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in names:
            data, mode = content[name]
            entry = zipfile.ZipInfo(name, moment)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # so that the permissions apply
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, data)


def last_commit() -> int:
    result = subprocess.run(["git", "-C", str(ROOT), "log", "-1", "--format=%ct"],
                            stdout=subprocess.PIPE, text=True, check=True)
    return int(result.stdout)


def make_wheel(programs: Path, output: Path) -> Path:
    for name in PROGRAMS:
        if not (programs / name).is_file():
            raise WheelError(
                f"{programs / name} is missing. Build it with 'make release-static'.")
    version = os.environ.get("TENSORIO_VERSION") or subprocess.run(
        [str(ROOT / "Scripts/packaging/version.sh")], stdout=subprocess.PIPE, text=True,
        check=True).stdout.strip()
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or last_commit())
    os.environ["SOURCE_DATE_EPOCH"] = str(epoch)  # the date of the man pages
    tag = platform_tag({name: read_binary(programs / name) for name in PROGRAMS})
    name = f"{PROJECT.replace('-', '_')}-{version}"
    with tempfile.TemporaryDirectory(prefix="tensorio-") as stage:
        install(programs, Path(stage))
        files = wheel_files(Path(stage), version, tag)
    output.mkdir(parents=True, exist_ok=True)
    path = output / f"{name}-py3-none-{tag}.whl"
    write_wheel(path, files, f"{name}.dist-info/RECORD", epoch)
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description="Makes a wheel of the built programs.")
    parser.add_argument("--programs", type=Path, default=ROOT / ".build/wheel-build/release")
    parser.add_argument("--output", type=Path, default=ROOT / ".build/packages")
    arguments = parser.parse_args()
    try:
        print(make_wheel(arguments.programs.resolve(), arguments.output))
    except (WheelError, OSError, subprocess.CalledProcessError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 70
    return 0


if __name__ == "__main__":
    sys.exit(main())
