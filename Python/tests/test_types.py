# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""The package's types, and the programs that use them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import tensorio

PROGRAM = """
import tensorio

model = tensorio.Model("digits.tiobundle")
for result in model.map(["a.png"], answer="tensors"):
    print(result.value["y"].shape, result.index + 1)
for row in model.rows(["a.png"]):
    print(row["image"])
print(model.run("a.png")["y"], tensorio.preprocess("digits.tiobundle", "a.png").mean())
model.map(["a.png"], errors="ignore")
"""


def check(path: Path) -> tuple[str, int]:
    api = pytest.importorskip("mypy.api", reason="mypy isn't installed")
    messages, errors, status = api.run(["--strict", "--cache-dir", os.devnull, str(path)])
    return messages + errors, status


def test_the_package_is_typed() -> None:
    package = Path(tensorio.__file__).parent
    assert (package / "py.typed").exists()
    messages, status = check(package)
    assert status == 0, messages


def test_programs_that_use_the_package_are_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYPYPATH", str(Path(tensorio.__file__).parents[1]))
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    messages, _ = check(path)
    assert "Found 1 error" in messages and "program.py:10: error: No overload" in messages, messages
