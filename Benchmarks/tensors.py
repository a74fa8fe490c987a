# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Measures whether clients that post large JSON tensors slow down clients that post images.

    tensors.py BINARY [--seconds 20] [--posters 16] [--side 1024]

BINARY is tensorio. The server has the digits and a model that takes side * side * 3 numbers and returns
them with reversed channels. At the default side, its limit allows 40 MB of JSON. One connection posts
images, first alone and then beside the posters. This fails if the images' p99 is 5 times its quiet value or
more, or if the memory reaches 1 GB.
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
    """Returns a model with one large input, and an operator that does little work."""
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
    """Returns a request with about `size` bytes."""
    count = side * side * 3
    digits = max(1, size // count - 4)
    data = ", ".join(f"{random.random():.{digits}f}" for _ in range(count))
    return (f'{{"inputs": [{{"name": "x", "shape": [1, {side}, {side}, 3], "datatype": "FP32", '
            f'"data": [{data}]}}]}}').encode()


def photos(place: str, seconds: float) -> list[float]:
    """Returns the times of responses to images in milliseconds, sorted."""
    connection = http.client.HTTPConnection(place, timeout=60)
    times, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        start = time.monotonic()
        connection.request("POST", "/api/v1/models/digits/infer", PHOTO, {"Content-Type": "image/png"})
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            sys.exit(f"error: the response to an image was {answer.status}")
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
    """Posts over several connections until it is told to stop, and reports the responses.

    This is a separate process, because threads in this one would slow down the images' own thread.
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
            [options.binary, "netrunner", "--models", name, "--port", "0", "--no-browser",
             "--log-level", "warning"],
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
        sys.exit("error: the images were slowed down, memory grew, or no tensor got a response")


if __name__ == "__main__":
    main()
