# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""What tests need to know of the system's processes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path


def eventually(condition: Callable[[], bool]) -> None:
    """Waits for a condition for up to five minutes, which doesn't depend on the machine's speed."""
    end = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < end, "the condition didn't come true within five minutes"
        time.sleep(0.02)


def running(session: int) -> list[int]:
    """Returns the processes in a session that haven't ended. A worker has a session of its own."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            state, _, _, number = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(number) == session and state not in "ZX":
            found.append(int(folder.name))
    return found


def memory() -> float:
    """Returns the memory of this process in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def open_files() -> int:
    """Returns the number of files that this process has open."""
    return len(os.listdir("/proc/self/fd"))
