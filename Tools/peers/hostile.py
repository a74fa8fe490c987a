# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Sends hostile requests to a server on this machine, and checks that it still works.

    hostile.py HOST PORT [--count N] [--seed N]

The script prints the responses to malformed requests, and the time of a valid request beside slow clients and
open connections, as a JSON object.
"""

import argparse
import collections
import http.client
import json
import random
import socket
import sys
import time
from pathlib import Path

PICTURE = (Path(__file__).resolve().parents[2] / "Demo/images/digit-7-01.png").read_bytes()
INFER = "/api/v1/models/digits/infer"

METHODS = ["GET", "POST", "PUT", "DELETE", "HEAD", "PATCH", "OPTIONS", "TRACE", "BREW", "", "G\0T"]
PATHS = [
    INFER, "/", "/api/v1/models", "/api/v1/models/../../etc/passwd", "/api/v1/models/%00",
    "/api/v1/models/%ff%fe", "/%2e%2e/%2e%2e/etc/passwd", "/v2/models/digits/infer", "/metrics",
    "/api/v1/imports", "/api/v1/evaluations", "/api/v1/uploads", "/api/v1/uploads/x/../../y",
    "/api/v1/models/" + "a" * 5000, "*", "http://evil.example/", "//", "/?" + "a=" * 3000, "\x7f",
]
BODIES = [
    b"", b"{", b"[" * 5000, b'{"url": 3}', b'{"url": "file:///etc/passwd"}', PICTURE[:50],
    b"\xff\xd8\xff\xe0" + b"\0" * 200, b"\x89PNG\r\n\x1a\n" + b"\0" * 100, b"RIFF\xff\xff\xff\xffWEBP",
    b'{"inputs": [{"name": "image", "datatype": "UINT8", "shape": [1, 99999999999, 3], "data": []}]}',
    b'{"models": ["digits"], "folder": "../../.."}', b"PK\x03\x04" + b"\xff" * 60, b"\0" * 3000,
]
FIELDS = [
    b"Host: 127.0.0.1", b"Host: localhost", b"Host: evil.example", b"Host:", b"",
    b"Content-Length: -1", b"Content-Length: 99999999999999999999", b"Content-Length: abc",
    b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked, chunked", b"Expect: 100-continue",
    b"Content-Type: application/json", b"Content-Type: application/zip",
    b"Origin: http://evil.example", b"Authorization: Bearer x", b"Range: bytes=-1-5",
    b"Inference-Header-Content-Length: 9999", b"Inference-Header-Content-Length: -1",
    b"X: " + b"y" * 9000, b"\x00: \x01", b"no colon", b" folded", b"Connection: close",
]


def exchange(host: str, port: int, data: bytes, seconds: float) -> str:
    """Returns the status, or what happened to the connection."""
    try:
        with socket.create_connection((host, port), timeout=seconds) as connection:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            answer = connection.recv(4096)
    except (TimeoutError, socket.timeout):
        return "timeout"
    except OSError:
        return "closed"
    if not answer:
        return "closed"
    parts = answer.split(b" ", 2)
    return parts[1].decode(errors="replace") if len(parts) > 1 else "garbage"


def malformed(source: random.Random) -> bytes:
    body = source.choice(BODIES)
    if source.random() < 0.1:
        body = source.randbytes(source.randrange(2000))
    line = f"{source.choice(METHODS)} {source.choice(PATHS)} HTTP/{source.choice(['1.1', '1.0', '9', 'x'])}"
    fields = source.sample(FIELDS, source.randrange(6))
    if source.random() < 0.5:
        fields = [b"Host: localhost"] + fields
    if source.random() < 0.6:
        fields.append(b"Content-Length: %d" % len(body))
    data = line.encode("latin-1", "replace") + b"\r\n" + b"\r\n".join(fields) + b"\r\n\r\n" + body
    if source.random() < 0.2:
        data = data[: source.randrange(len(data) + 1)]
    return data


def statuses_of_names(host: str, port: int) -> dict:
    """Returns the responses to requests for the server's own and other names."""
    names = [
        "localhost:1", "127.0.0.1", "[::1]:8080", "app.localhost", "evil.example",
        "127.0.0.1.evil.example:80", "[::2]", "localhost.evil.example",
    ]
    return {
        name: exchange(
            host, port, f"GET /api/v1/server HTTP/1.1\r\nHost: {name}\r\n\r\n".encode(), 20)
        for name in names
    }


def good(host: str, port: int) -> float:
    """Returns the time of a valid request in seconds. An error ends the program."""
    start = time.perf_counter()
    connection = http.client.HTTPConnection(host, port, timeout=30)
    connection.request("POST", INFER, PICTURE, {"Content-Type": "image/png"})
    answer = json.loads(connection.getresponse().read())
    connection.close()
    if answer["classes"][0]["label"] != "seven":
        sys.exit(f"error: the server responded with {answer}")
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("host")
    parser.add_argument("port", type=int)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    host, port = arguments.host, arguments.port
    source = random.Random(arguments.seed)
    answers: collections.Counter = collections.Counter()
    for _ in range(arguments.count):
        answers[exchange(host, port, malformed(source), 20)] += 1

    # Clients that send a byte now and then, and silent connections.
    idle = [socket.create_connection((host, port)) for _ in range(200)]
    for connection in idle[:50]:
        connection.sendall(b"POST " + INFER.encode() + b" HTTP/1.1\r\nHost: localhost\r\nContent-Le")
    for connection in idle[50:100]:
        connection.sendall(
            b"POST " + INFER.encode() + b" HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Length: 30000000\r\n\r\n\xff\xd8")
    beside = max(good(host, port) for _ in range(20))
    for connection in idle:
        connection.close()

    # 16 GiB, announced and not announced. Both are refused before they are sent.
    sent = []
    for framing in [b"Content-Length: 17179869184", b"Transfer-Encoding: chunked"]:
        count = 0
        part = b"100000\r\n" + b"\0" * (1 << 20) + b"\r\n" if framing[0:1] == b"T" else b"\0" * (1 << 20)
        try:
            with socket.create_connection((host, port), timeout=20) as connection:
                connection.sendall(
                    b"POST " + INFER.encode() + b" HTTP/1.1\r\nHost: localhost\r\n" + framing + b"\r\n\r\n")
                for _ in range(16384):
                    connection.sendall(part)
                    count += 1
        except OSError:
            pass
        sent.append(count)
    json.dump(
        {
            "answers": answers, "names": statuses_of_names(host, port), "beside": beside,
            "after": good(host, port), "sent": sent,
        },
        sys.stdout)


if __name__ == "__main__":
    main()
