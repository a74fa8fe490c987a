# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Evaluations in parts, which the program evaluates and merges."""

from __future__ import annotations

import csv
import io
import json
import math
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ._arrays import is_scalar
from ._errors import Error, describe


def label_table(samples: Iterable[tuple[str, str]]) -> bytes:
    """Returns a CSV file of paths and labels. The order of the samples doesn't matter.

    Raises:
        Error: There are no samples.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(("path", "label"))
    # Resampled intervals depend on the order. The program reads folders in this one.
    rows = sorted(samples, key=lambda sample: (sample[0].encode(errors="surrogateescape"), sample[1]))
    if not rows:
        raise Error("The dataset is empty. An evaluation needs at least one image with a label.")
    writer.writerows(rows)
    return text.getvalue().encode(errors="surrogateescape")


def label_text(value: Any) -> str:
    """Returns a label as a table has it: a class's name or number, or nothing if it is None or NaN.

    Raises:
        ValueError: It is neither text nor a number.
    """
    if is_scalar(value):
        value = value.item()
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # columns of whole numbers with missing ones are often floats
    if isinstance(value, (int, float)):
        return str(value)
    raise ValueError(f"The label {describe(value)} is neither text nor a number.")


def evaluate_part(
    program: str, table: bytes, bundle: str, index: int, count: int, threads: int, options: Sequence[str],
) -> bytes:
    """Evaluates a part of a table, and returns its report.

    Raises:
        Error: The program says that it can't evaluate the part.
    """
    with tempfile.TemporaryDirectory() as folder:
        dataset, report = Path(folder, "dataset.csv"), Path(folder, "report.json")
        dataset.write_bytes(table)
        _run([program, "evaluate", str(dataset), "--model", bundle, "--part", f"{index}/{count}",
              "--threads", str(threads), "--report", str(report), *options], report)
        return report.read_bytes()


def merge(program: str, reports: Iterable[bytes]) -> dict[str, Any]:
    """Merges the reports of all parts.

    Raises:
        Error: The program says that the parts don't fit together.
    """
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for index, report in enumerate(reports):
            paths.append(Path(folder, f"{index}.json"))
            paths[-1].write_bytes(report)
        merged = Path(folder, "merged.json")
        _run([program, "merge", *map(str, paths), "--report", str(merged)], merged)
        value: dict[str, Any] = json.loads(merged.read_bytes())
        return value


def _run(command: Sequence[str], report: Path) -> None:
    """Runs a command. If every sample failed, its status isn't 0, but it has written a report."""
    result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if result.returncode != 0 and not report.exists():
        message = result.stderr.decode(errors="replace").strip()
        raise Error(f"'tensorio {command[1]}' ended with status {result.returncode}: {message}")
