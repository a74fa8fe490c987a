# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""The examples of Documentation/Python.md and README.md, which are run as they are."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import IMAGES, ROOT

BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", ["Documentation/Python.md", "README.md"])
def test_the_examples_run(page: str, program: str, tmp_path: Path) -> None:
    path = ROOT / page
    if not path.exists():
        pytest.skip("the documentation isn't beside the tests")
    (tmp_path / "Demo").symlink_to(ROOT / "Demo")
    blocks = BLOCK.findall(path.read_text(encoding="utf-8"))
    assert blocks
    environment = {**os.environ, "TENSORIO_PROGRAM": program, "PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", "\n".join(blocks)], cwd=tmp_path, env=environment,
        capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
    if page.endswith("Python.md"):
        labels = [line.split(",")[1] for line in (tmp_path / "labels.csv").read_text().splitlines()]
        assert len(labels) == len(IMAGES)
        assert labels[14] == "seven"
        assert "fileNotFound" in result.stdout
        assert "(20, 32, 32, 3) float32" in result.stdout
