# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Finds the program ``tensorio``."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
from pathlib import Path
from typing import Any

from ._errors import Error

PROJECT = "tensorio-swift"


def find_program(program: str | os.PathLike[str] | None = None) -> str:
    """Returns the path of the program.

    It is the given one, or TENSORIO_PROGRAM, or the one that pip installed with this package, or the
    first one on PATH.

    Raises:
        Error: The program is missing.
    """
    given = os.fspath(program) if program is not None else os.environ.get("TENSORIO_PROGRAM")
    if given:
        found = shutil.which(given)
        if found is None:
            source = "" if program is not None else "TENSORIO_PROGRAM is "
            raise Error(f"{source}'{given}': no program can be run there. Build it with 'make build', "
                        f"or install it with 'pip install {PROJECT}'.")
        return os.path.abspath(found)
    found = _installed_program() or shutil.which("tensorio")
    if found is None:
        raise Error(f"The program 'tensorio' is missing. Install it with 'pip install {PROJECT}', add its "
                    "folder to PATH, or set TENSORIO_PROGRAM to its path.")
    return os.path.abspath(found)


def digest_of(description: dict[str, Any]) -> str:
    """Returns the digest of a model from what its worker says about it.

    Raises:
        Error: The program is older than this package.
    """
    digest = description["model"].get("bundle_sha256")
    if not digest:
        raise Error(f"The program 'tensorio' is older than this package. Update it with 'pip install -U {PROJECT}'.")
    return str(digest)


def _installed_program() -> str | None:
    """Returns the program of the wheel, wherever pip has put it."""
    try:
        files = importlib.metadata.files(PROJECT) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    for file in files:
        if file.name == "tensorio" and file.parent.name == "bin":
            path = Path(str(file.locate()))
            if path.is_file():
                return str(path)
    return None
