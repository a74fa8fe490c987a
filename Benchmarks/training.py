#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Measures training steps, ours and Python's Session's in turn, and small calls against the bare C calls.

    make training            builds, and installs what is needed
    Benchmarks/training.py --binary PROGRAM --bundle BUNDLE --photos DIR --library FILE

A step runs the training operation, then fetches the loss. Each contender is a process that stays alive. In
every round, each gets the same work in turn, in a changing order. The figures are medians of the rounds'
medians. This needs a Python with TensorFlow.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PEER = ROOT / "Tools/peers/bench_training.py"

# Python's thread settings: TensorFlow's own choice (0), and the settings that may be its best.
SETTINGS = [(0, 0), (1, 1), (2, 1), (1, 2), (2, 2), (1, -1)]


class Worker:
    """A process that works on request."""

    def __init__(self, name: str, command: list[str], environment: dict[str, str] | None = None):
        self.name = name
        self.reports: list[dict] = []
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, env={**os.environ, **(environment or {})})
        if self.process.stdout.readline().strip() != "ready":
            sys.exit(f"error: {name} did not start")

    def run(self, count: int) -> None:
        self.process.stdin.write(f"{count}\n")
        self.process.stdin.flush()
        self.reports.append(json.loads(self.process.stdout.readline()))

    def median(self, key: str) -> float:
        return statistics.median(report[key] for report in self.reports)

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def compare_steps(arguments: argparse.Namespace) -> None:
    images = [str(arguments.photos / name) for name in ("cat.jpg", "dog.jpg")]
    ours = [
        Worker(f"TensorIO, threads {threads}{note}",
               [arguments.binary, "steps", str(arguments.bundle), str(threads), *images])
        for threads, note in [(1, ", the default"), (2, "")]
    ]
    peers = [
        Worker("Python Session, its default" if not intra else
               f"Python Session, intra {intra}, inter {inter}",
               [sys.executable, str(PEER), str(arguments.bundle / "train"), str(intra), str(inter),
                *images])
        for intra, inter in SETTINGS
    ]
    workers = ours + peers
    for index in range(arguments.rounds):
        # The order changes, because the machine's speed changes during a round.
        for worker in workers[index % len(workers):] + workers[: index % len(workers)]:
            worker.run(arguments.steps)
        print(f"round {index + 1} of {arguments.rounds}", file=sys.stderr)
    default = ours[0]
    print("| a step of 2 images | ms | theirs / ours, median of the rounds |\n|---|---|---|")
    for worker in workers:
        ratio = statistics.median(
            theirs["milliseconds"] / our["milliseconds"]
            for theirs, our in zip(worker.reports, default.reports))
        print(f"| {worker.name} | {worker.median('milliseconds'):.2f} | {ratio:.2f} |")
    best = min(peers[1:], key=lambda worker: worker.median("milliseconds"))
    print(f"\nPython's best: {best.name}")
    losses = {round(worker.reports[-1]["loss"], 4) for worker in workers}
    print(f"losses at the end: {sorted(losses)}")
    for worker in workers:
        worker.close()


def compare_small_calls(arguments: argparse.Namespace) -> None:
    model = ROOT / "Tests/Fixtures/SavedModels/vector"
    worker = Worker("small", [arguments.binary, "small", str(arguments.library), str(model)])
    for _ in range(arguments.rounds):
        worker.run(20_000)
    above = statistics.median(report["ours"] - report["bare"] for report in worker.reports)
    print(f"\na small graph: ours {worker.median('ours'):.2f} us, the bare C calls "
          f"{worker.median('bare'):.2f} us, {above:.2f} us above them")
    worker.close()


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--bundle", type=Path, required=True)
    parser.add_argument("--photos", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True, help="libtensorflow_cc.so.2")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--steps", type=int, default=15)
    arguments = parser.parse_args()
    compare_steps(arguments)
    compare_small_calls(arguments)


if __name__ == "__main__":
    main()
