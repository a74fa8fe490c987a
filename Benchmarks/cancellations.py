#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Sends requests to Examples/ClassificationServer, a third of which are cancelled at random.

A client that cancels closes its connection while the request waits or runs. Each round is run with and without
cancellations, and the times of the other requests are compared:

    Benchmarks/cancellations.py --server .build/release/classification-server \\
      --model ../shared/data/models/mobilenet.tiobundle --photo photo.jpg
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import socket
import statistics
import sys
import time


async def post(port: int, body: bytes, leaves_after: float | None) -> tuple[int, bytes] | None:
    """Posts an image on a connection of its own; returns the status and the body, or None if it left."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(f"POST /classify?deadline_ms=60000 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                     f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()
        try:
            answer = await asyncio.wait_for(reader.read(), leaves_after)
        except TimeoutError:
            return None
        head, _, content = answer.partition(b"\r\n\r\n")
        return int(head.split(b" ", 2)[1]), content
    finally:
        writer.close()


async def get(port: int, path: str) -> dict:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    await writer.drain()
    answer = await reader.read()
    writer.close()
    return json.loads(answer.partition(b"\r\n\r\n")[2])


async def load(port: int, body: bytes, expected: object, options: argparse.Namespace, share: float,
               generator: random.Random, typical: float) -> dict:
    """Sends the requests over so many connections at a time, of which a share leaves."""
    result = {"wrong": 0, "failed": 0, "left": 0, "times": []}
    numbers = iter(range(options.requests))

    async def client() -> None:
        for _ in numbers:
            leaves = generator.random() < share
            start = time.perf_counter()
            answer = await post(port, body, generator.uniform(0, typical) if leaves else None)
            if answer is None:
                result["left"] += 1
            elif answer[0] != 200:
                result["failed"] += 1
                print(f"status {answer[0]}: {answer[1].decode(errors='replace')}", file=sys.stderr)
            else:
                if json.loads(answer[1]) != expected:
                    result["wrong"] += 1
                    print(f"wrong: {answer[1].decode()} instead of {expected}", file=sys.stderr)
                if not leaves:
                    result["times"].append(time.perf_counter() - start)

    await asyncio.gather(*(client() for _ in range(options.connections)))
    return result


async def measure(port: int, options: argparse.Namespace) -> dict:
    body = open(options.photo, "rb").read()
    for attempt in range(200):
        try:
            answer = await post(port, body, None)
            break
        except OSError:
            await asyncio.sleep(0.05)
    else:
        raise SystemExit("The server doesn't listen.")
    assert answer is not None and answer[0] == 200, answer
    expected = json.loads(answer[1])
    generator = random.Random(options.seed)
    report = {"wrong": 0, "failed": 0, "left": 0, "p99_ms": [], "p99_ms_without": [], "ratios": []}
    warm = await load(port, body, expected, options, 0, generator, 0)
    # A client that leaves does so at any time of a typical request.
    typical = statistics.median(warm["times"])
    for number in range(options.rounds):
        results = {}
        # The order alternates, because a machine gets slower or faster over time.
        for share in (0, options.share) if number % 2 else (options.share, 0):
            results[share] = await load(port, body, expected, options, share, generator, typical)
        for name in ("wrong", "failed", "left"):
            report[name] += results[0][name] + results[options.share][name]
        percentiles = [
            1000 * statistics.quantiles(results[share]["times"], n=100)[98] for share in (options.share, 0)]
        report["p99_ms"].append(round(percentiles[0], 2))
        report["p99_ms_without"].append(round(percentiles[1], 2))
        report["ratios"].append(round(percentiles[0] / percentiles[1], 3))
    for _ in range(100):
        state = await get(port, "/statistics")
        if state["running"] == 0 and state["waiting"] == 0:
            break
        await asyncio.sleep(0.1)
    report["sessions_lost"] = state["running"]
    report["outcomes"] = state["outcomes"]
    report["median_ratio"] = statistics.median(report["ratios"])
    return report


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", required=True, help="The program of Examples/ClassificationServer.")
    parser.add_argument("--model", required=True, help="A bundle that classifies images.")
    parser.add_argument("--photo", required=True, help="The image that every request has.")
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--share", type=float, default=1 / 3, help="The share of requests whose clients leave.")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="Print JSON.")
    options = parser.parse_args()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = await asyncio.create_subprocess_exec(
        options.server, options.model, str(port), stdout=asyncio.subprocess.DEVNULL)
    work = asyncio.create_task(measure(port, options))
    end = asyncio.create_task(process.wait())
    try:
        await asyncio.wait([work, end], return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise SystemExit(f"The server ended with {end.result()}.")
        report = work.result()
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()
    if options.json:
        print(json.dumps(report))
    else:
        for name, value in report.items():
            print(f"{name}: {value}")


if __name__ == "__main__":
    asyncio.run(main())
