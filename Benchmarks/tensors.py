# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Photos beside large JSON tensors: whether those who post the one hold up those who post the other.

    tensors.py BINARY [--seconds 20] [--posters 16] [--side 1024]

BINARY is tensorio. A server gets the digits and a model whose input has side * side * 3 numbers, which it
returns reversed in channels; 40 MB of JSON fit its limit at the default side. One connection posts photos, alone and
beside the posters. Fails where the photos' p99 is 5 times its quiet value or more, or memory 1 GB.
"""

import argparse
import http.client
import json
import multiprocessing
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from load import memory

ROOT = Path(__file__).resolve().parents[1]
PHOTO = (ROOT / "Demo/images/digit-7-01.png").read_bytes()
INFER = "/v2/models/large/infer"


def bundle(folder: Path, side: int) -> None:
    """A model of one large input: TensorFlow Lite's own operator for the least of all work."""
    import tensorflow

    function = tensorflow.function(
        lambda x: {"y": tensorflow.reduce_max(x, axis=[1, 2])},
        input_signature=[tensorflow.TensorSpec([1, side, side, 3], tensorflow.float32, "x")])
    module = tensorflow.Module()
    module.run = function
    converter = tensorflow.lite.TFLiteConverter.from_concrete_functions(
        [function.get_concrete_function()], module)
    place = folder / "large.tiobundle"
    place.mkdir()
    (place / "model.tflite").write_bytes(converter.convert())
    layers = {"inputs": [{"name": "x", "type": "array", "shape": [1, side, side, 3]}],
              "outputs": [{"name": "y", "type": "array", "shape": [1, 3]}]}
    (place / "model.json").write_text(json.dumps({
        "name": "Large", "details": "", "id": "large", "version": "1", "author": "", "license": "",
        "model": {"file": "model.tflite", "quantized": False}, **layers}))


def tensor(side: int, size: int) -> bytes:
    """A request of about so many bytes."""
    count = side * side * 3
    digits = max(1, size // count - 4)
    data = ", ".join(f"{random.random():.{digits}f}" for _ in range(count))
    return (f'{{"inputs": [{{"name": "x", "shape": [1, {side}, {side}, 3], "datatype": "FP32", '
            f'"data": [{data}]}}]}}').encode()


def photos(place: str, seconds: float) -> list[float]:
    """The times of answers to photos, in milliseconds, from the least on."""
    connection = http.client.HTTPConnection(place, timeout=60)
    times, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        start = time.monotonic()
        connection.request("POST", "/api/v1/models/digits/infer", PHOTO, {"Content-Type": "image/png"})
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            sys.exit(f"error: a photo was answered with {answer.status}")
        times.append(1000 * (time.monotonic() - start))
    return sorted(times)


def post(place: str, body: bytes, stop, answers: dict) -> None:
    connection = None
    while not stop.is_set():
        try:
            connection = connection or http.client.HTTPConnection(place, timeout=120)
            connection.request("POST", INFER, body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            answers[answer.status] = answers.get(answer.status, 0) + 1
            if answer.status == 200:
                continue
        except OSError:
            answers["closed"] = answers.get("closed", 0) + 1
        connection = None


def post_all(place: str, side: int, megabytes: float, posters: int, ready, stop, results) -> None:
    """Posts over several connections until it is told to stop, and tells what was answered.

    In a process of its own: threads beside the photos' would hold these up, and not the server.
    """
    body, answers = tensor(side, int(megabytes * 1e6)), {}
    threads = [
        threading.Thread(target=post, args=(place, body, stop, answers), daemon=True)
        for _ in range(posters)]
    ready.set()
    for thread in threads:
        thread.start()
    stop.wait()
    results.put((len(body), answers))


def quantile(times: list[float], share: float) -> float:
    return times[min(len(times) - 1, int(share * len(times)))]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--posters", type=int, default=16)
    parser.add_argument("--side", type=int, default=1024)
    parser.add_argument("--megabytes", type=float, default=40)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bundle(folder, options.side)
        subprocess.run(["cp", "-r", str(ROOT / "Demo/digits.tiobundle"), name], check=True)
        server = subprocess.Popen(
            [options.binary, "netrunner", "--models", name, "--port", "0", "--no-browser"],
            stdout=subprocess.PIPE, text=True)
        try:
            place = server.stdout.readline().split("//")[1].strip(" /\n")
            photos(place, 2)
            quiet = photos(place, options.seconds)
            context = multiprocessing.get_context("spawn")
            ready, stop, results = context.Event(), context.Event(), context.Queue()
            context.Process(
                target=post_all, daemon=True,
                args=(place, options.side, options.megabytes, options.posters, ready, stop, results),
            ).start()
            ready.wait()
            time.sleep(2)
            beside = photos(place, options.seconds)
            peak = memory(server.pid, "VmHWM")
            stop.set()
            size, answers = results.get()
        finally:
            server.kill()
    result = {
        "body_bytes": size, "answers": {str(key): count for key, count in answers.items()},
        "quiet_p50_ms": quantile(quiet, 0.5), "quiet_p99_ms": quantile(quiet, 0.99),
        "beside_p50_ms": quantile(beside, 0.5), "beside_p99_ms": quantile(beside, 0.99),
        "photos": len(beside), "peak_mib": peak}
    print(json.dumps(result, indent=2))
    if result["beside_p99_ms"] >= 5 * result["quiet_p99_ms"] or peak >= 1000 or 200 not in answers:
        sys.exit("error: the photos were held up, memory grew, or no tensor was answered")


if __name__ == "__main__":
    main()
