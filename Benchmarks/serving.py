#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Measures `tensorio netrunner` and uvicorn with OpenCV and LiteRT, which take turns.

    make serving             builds, and installs what Python's side needs; wrk must be installed
    Benchmarks/serving.py --tensorio PROGRAM --model MODEL.tflite --photos DIR

wrk posts VGA JPEGs over loopback on kept connections, and shares the processors with the servers. Ours has
two threads, and uvicorn has two workers. The figures are requests a second and latencies, as medians of the
rounds. The memory is the resident memory after the last round: the sum over a server's processes (RSS), and
the sum in which shared pages count once (PSS).
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from PIL import Image

from bulk import make_bundle
from load import free_port, load
from throughput import ROOT

PEERS = ROOT / "Tools/peers"
CONNECTIONS = [1, 4, 16, 64]

POST = """
local file = io.open("%s", "rb")
wrk.method = "POST"
wrk.body = file:read("*a")
wrk.headers["Content-Type"] = "image/jpeg"
"""


class Server:
    """A server that runs until it is closed."""

    def __init__(self, name: str, command: list, port: int, path: str, environment: dict):
        self.name = name
        self.address = f"http://127.0.0.1:{port}{path}"
        self.results: dict[int, list[dict]] = {count: [] for count in CONNECTIONS}
        self.process = subprocess.Popen(
            [str(part) for part in command], env={**os.environ, **environment},
            stdout=subprocess.DEVNULL)

    def wait(self, picture: Path) -> dict:
        """Waits until the server responds to an image, and returns the response."""
        for _ in range(300):
            if self.process.poll() is not None:
                break
            try:
                request = urllib.request.Request(
                    self.address, data=picture.read_bytes(), headers={"Content-Type": "image/jpeg"})
                return json.load(urllib.request.urlopen(request))
            except OSError:
                time.sleep(0.1)
        sys.exit(f"error: {self.name} did not start")

    def memory(self, kind: str) -> float:
        """Returns the MiB of the server's processes. The kind is Rss or Pss."""
        ids, total = [self.process.pid], 0
        while ids:
            process = ids.pop()
            task = Path(f"/proc/{process}")
            ids += map(int, (task / f"task/{process}/children").read_text().split())
            rollup = (task / "smaps_rollup").read_text()
            total += int(re.search(rf"^{kind}: +(\d+) kB", rollup, re.MULTILINE)[1])
        return total / 1024

    def median(self, connections: int, key: str) -> float:
        values = [
            r["requests"] / r["seconds"] if key == "rate" else r[key]
            for r in self.results[connections]
        ]
        return statistics.median(values)

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()


def servers(arguments: argparse.Namespace, bundle: Path) -> list[Server]:
    ours, theirs = free_port(), free_port()
    return [
        Server(
            "TensorIO",
            [arguments.tensorio, "netrunner", "--models", bundle.parent, "--port", ours,
             "--log-level", "warning",
             "--threads", "2", "--no-browser"],
            ours, "/api/v1/models/model/infer", {}),
        Server(
            "uvicorn",
            [sys.executable, "-m", "uvicorn", "--workers", "2", "--port", theirs, "--log-level",
             "warning", "--no-access-log", "--app-dir", PEERS, "serve:app"],
            theirs, "/", {"MODEL": str(arguments.model.resolve())}),
    ]


def report(ours: Server, theirs: Server) -> None:
    print("| connections | | requests/s | p50, ms | p99, ms |\n|---:|---|---:|---:|---:|")
    for count in CONNECTIONS:
        for server in (ours, theirs):
            rate, p50, p99 = (server.median(count, key) for key in ("rate", "p50", "p99"))
            print(f"| {count} | {server.name} | {rate:.1f} | {p50:.2f} | {p99:.2f} |")
    print("\n| connections | requests/s, ratio | p99, ratio |\n|---:|---:|---:|")
    for count in CONNECTIONS:
        pairs = list(zip(ours.results[count], theirs.results[count]))
        rate = statistics.median(
            (a["requests"] / a["seconds"]) / (b["requests"] / b["seconds"]) for a, b in pairs)
        p99 = statistics.median(a["p99"] / b["p99"] for a, b in pairs)
        print(f"| {count} | {rate:.2f} | {p99:.2f} |")
    print("\n| memory | TensorIO, MiB | uvicorn, MiB | ratio |\n|---|---:|---:|---:|")
    for kind in ("Rss", "Pss"):
        own, other = ours.memory(kind), theirs.memory(kind)
        print(f"| {kind.upper()} | {own:.1f} | {other:.1f} | {own / other:.2f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tensorio", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--photos", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5)
    arguments = parser.parse_args()
    if not shutil.which("wrk"):
        sys.exit("error: wrk is missing; install it, on Debian with 'apt-get install wrk'")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        bundle = make_bundle(arguments.model, folder)
        photo = folder / "photo.jpg"
        source = arguments.photos / "cat_720p.jpg"
        Image.open(source).convert("RGB").resize((640, 480)).save(photo, quality=90)
        post = POST % photo
        contenders = servers(arguments, bundle)
        try:
            for server in contenders:
                print(f"{server.name}: {server.wait(photo).get('classes')}", file=sys.stderr)
                load(server.address, 4, 2, post)
            for index in range(arguments.rounds):
                for count in CONNECTIONS:
                    for server in contenders[:: 1 if index % 2 == 0 else -1]:
                        result = load(server.address, count, arguments.seconds, post)
                        server.results[count].append(result)
                print(f"round {index + 1} of {arguments.rounds}", file=sys.stderr)
            report(*contenders)
        finally:
            for server in contenders:
                server.close()


if __name__ == "__main__":
    main()
