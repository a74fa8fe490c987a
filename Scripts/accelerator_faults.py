#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Plants faults into the trial of the accelerator, and checks that every run falls back to the CPU.

    Scripts/accelerator_faults.py --binary .build/debug/tensorio [--trials 200] [--jobs 8]

The trials crash while the model is loaded, crash during the run, hang, or compute one wrong value, in turn,
with models of floats and of quantized numbers, on different photos. `run --accelerator auto` must then print
what the CPU computes, exit with 0, and say what happened, in JSON and in a warning. With `--accelerator
gpu`, which every tenth trial passes, the command must fail with the same reason.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUNDLES = ["Demo/digits.tiobundle", "Demo/digits-int8.tiobundle"]

# What the reason must contain for each fault.
REASONS = {
    "crash-at-load": "its trial crashed: it aborted.",
    "crash": "its trial crashed: a segmentation fault.",
    "hang": "didn't respond within 20 seconds",
    "wrong": "its trial computed other values: ",
}


def run(binary: str, words: list[str], fault: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ)
    environment.pop("TENSORIO_ACCELERATOR_FAULT", None)
    if fault:
        environment["TENSORIO_ACCELERATOR_FAULT"] = fault
    return subprocess.run(
        [binary, "run", *words, "--json"], env=environment, cwd=ROOT, capture_output=True, text=True, timeout=180,
        check=False)


def outputs(text: str) -> dict[str, object]:
    """Returns a run's outputs without what differs from run to run."""
    document = json.loads(text)
    return {key: value for key, value in document.items()
            if not key.startswith("accelerator") and not key.endswith("_ms")}


def trial(binary: str, number: int, photos: list[str]) -> tuple[str, str, float]:
    """Returns the fault, what is wrong or nothing, and the seconds that the command took."""
    fault = list(REASONS)[number % len(REASONS)]
    words = [BUNDLES[number // len(REASONS) % len(BUNDLES)], photos[number % len(photos)]]
    choice = "gpu" if number % 10 == 9 else "auto"
    cpu = run(binary, words)
    start = time.monotonic()
    found = run(binary, [*words, "--accelerator", choice], fault)
    seconds = time.monotonic() - start
    if choice == "gpu":
        is_right = found.returncode == 65 and REASONS[fault] in found.stderr and not found.stdout
        return fault, "" if is_right else f"{found.returncode}: {found.stderr}", seconds
    if found.returncode != 0 or cpu.returncode != 0:
        return fault, f"exit code {found.returncode}: {found.stderr}", seconds
    document = json.loads(found.stdout)
    if outputs(found.stdout) != outputs(cpu.stdout):
        return fault, "the outputs aren't the CPU's", seconds
    if document.get("accelerator") != "cpu" or REASONS[fault] not in document.get("accelerator_reason", ""):
        return fault, f"the JSON says {document.get('accelerator_reason')!r}", seconds
    if "warning: " not in found.stderr or REASONS[fault] not in found.stderr:
        return fault, f"standard error says {found.stderr!r}", seconds
    return fault, "", seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=8)
    arguments = parser.parse_args()
    binary = str(Path(arguments.binary).resolve())
    photos = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "Demo/images").glob("*.png"))
    counts: collections.Counter[str] = collections.Counter()
    seconds: dict[str, list[float]] = collections.defaultdict(list)
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for fault, problem, time_taken in pool.map(
                lambda number: trial(binary, number, photos), range(arguments.trials)):
            counts[fault] += 1
            seconds[fault].append(time_taken)
            if problem:
                failures += 1
                print(f"{fault}: {problem}", file=sys.stderr)
    for fault, count in counts.items():
        median = sorted(seconds[fault])[count // 2]
        print(f"{fault}: {count} trials, {median:.2f} s (median)")
    print(f"{arguments.trials - failures} of {arguments.trials} runs fell back to the CPU and said why")
    sys.exit(1 if failures or not counts else 0)


if __name__ == "__main__":
    main()
