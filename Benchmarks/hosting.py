#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Measures downloads from `tensorio repository serve` and from nginx, which take turns.

    make hosting             builds, and runs this; wrk and nginx must be installed
    Benchmarks/hosting.py --tensorio PROGRAM --bundle BUNDLE.tiobundle

One thread of wrk fetches blobs of 1 KB, 10 MB and 1 GB over loopback on kept connections, and shares the
processors with the servers. Each server has two threads or processes, and writes its log of requests to a
file, as both do by default. nginx is also measured without its log. The figures are medians of the rounds,
and a ratio is the median of the rounds' ratios. At the end, 2 GiB are uploaded and 2 GiB are downloaded at
the same time, and the peak memory of the repository's server is printed.
"""

import argparse
import hashlib
import http.client
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

from load import free_port, load, memory

SIZES = {"1 KB": 1 << 10, "10 MB": 10 << 20, "1 GB": 1 << 30}
# The size of a blob, and the number of connections.
CASES = [("1 KB", 1), ("1 KB", 16), ("1 KB", 64), ("10 MB", 4), ("1 GB", 2)]
PIECE = 1 << 20

NGINX = """
worker_processes 2; daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
  sendfile on; tcp_nopush on; default_type application/octet-stream; root {folder}/files;
  keepalive_requests 1000000000;
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  server {{ listen 127.0.0.1:{port}; access_log {folder}/access.log; }}
  server {{ listen 127.0.0.1:{quiet}; access_log off; }}
}}
"""


class Repository:
    """A running `tensorio repository serve`, until it is closed."""

    def __init__(self, tensorio: Path, folder: Path):
        self.tensorio, self.port = tensorio, free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        data = folder / "data"
        made = subprocess.run(
            [tensorio, "repository", "token", "create", "all", "--scope", "admin", "--data", data,
             "--json"], capture_output=True, text=True, check=True).stdout
        self.token = json.loads(made)["secret"]
        self.log = (folder / "repository.log").open("w")
        self.process = subprocess.Popen(
            [tensorio, "repository", "serve", "--data", data, "--port", str(self.port)],
            stdout=subprocess.DEVNULL, stderr=self.log)
        wait_for(self.address + "/readyz")

    def call(self, method: str, path: str, body=None, headers: dict | None = None) -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        fields = {"Authorization": f"Bearer {self.token}", **(headers or {})}
        connection.request(method, path, body, fields)
        response = connection.getresponse()
        content = response.read()
        if response.status >= 300:
            sys.exit(f"error: {method} {path}: {response.status} {content[:300]}")
        return content

    def upload(self, pieces, size: int) -> str:
        """Uploads a blob made of pieces of bytes, and returns its address."""
        upload = json.loads(self.call("POST", "/v1/uploads"))["id"]
        digest = hashlib.sha256()

        def body():
            for piece in pieces:
                digest.update(piece)
                yield piece

        self.call("PATCH", f"/v1/uploads/{upload}", body(), {
            "Content-Range": f"bytes 0-{size - 1}/*", "Content-Length": str(size)})
        name = f"sha256:{digest.hexdigest()}"
        self.call("PUT", f"/v1/uploads/{upload}?digest={name}")
        return f"{self.address}/v1/blobs/{name}"

    def publish(self, bundle: Path) -> str:
        """Publishes a bundle, and returns the address of its channel."""
        environment = {**os.environ, "TENSORIO_REPOSITORY_TOKEN": self.token}
        subprocess.run(
            [self.tensorio, "repository", "push", bundle, "--model", "model", "--as", "1",
             "--channel", "stable", "--server", self.address],
            env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return f"{self.address}/v1/models/model/channels/stable"

    def close(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        self.log.close()


def wait_for(address: str) -> None:
    for _ in range(300):
        try:
            urllib.request.urlopen(address).close()
            return
        except OSError:
            time.sleep(0.1)
    sys.exit(f"error: {address} does not respond")


def random_pieces(size: int):
    for start in range(0, size, PIECE):
        yield os.urandom(min(PIECE, size - start))


def file_pieces(path: Path):
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            yield piece


def rate(result: dict, name: str) -> float:
    """Returns requests a second for small responses, and megabytes a second for large ones."""
    return (result["requests"] if name == "1 KB" else result["bytes"] / 1e6) / result["seconds"]


def compare(repository: Repository, folder: Path, arguments: argparse.Namespace) -> None:
    port, quiet = free_port(), free_port()
    files = folder / "files"
    files.mkdir()
    blobs = {}
    for name, size in SIZES.items():
        path = files / name.replace(" ", "")
        with path.open("wb") as file:
            for piece in random_pieces(size):
                file.write(piece)
        blobs[name] = repository.upload(file_pieces(path), size)
    configuration = folder / "nginx.conf"
    configuration.write_text(NGINX.format(folder=folder, port=port, quiet=quiet))
    nginx = subprocess.Popen(
        ["nginx", "-c", configuration, "-e", folder / "error.log"], stderr=subprocess.DEVNULL)
    try:
        wait_for(f"http://127.0.0.1:{port}/1KB")
        results: dict = {}
        for index in range(arguments.rounds):
            for name, connections in CASES:
                file = name.replace(" ", "")
                addresses = {
                    "TensorIO": blobs[name], "nginx": f"http://127.0.0.1:{port}/{file}",
                    "nginx without its log": f"http://127.0.0.1:{quiet}/{file}"}
                for server in list(addresses)[:: 1 if index % 2 == 0 else -1]:
                    result = load(addresses[server], connections, arguments.seconds)
                    results.setdefault((name, connections), {}).setdefault(server, []).append(
                        rate(result, name))
            print(f"round {index + 1} of {arguments.rounds}", file=sys.stderr)
    finally:
        nginx.terminate()
        nginx.wait()
    print("| blob | connections | | TensorIO | nginx | ratio | nginx without its log | ratio |")
    print("|---|---:|---|---:|---:|---:|---:|---:|")
    for (name, connections), servers in results.items():
        ours = servers["TensorIO"]
        cells = [f"{statistics.median(ours):,.0f}"]
        for other in ("nginx", "nginx without its log"):
            ratios = [a / b for a, b in zip(ours, servers[other])]
            cells += [f"{statistics.median(servers[other]):,.0f}",
                      f"{statistics.median(ratios):.2f}"]
        unit = "requests/s" if name == "1 KB" else "MB/s"
        print(f"| {name} | {connections} | {unit} | {' | '.join(cells)} |")


def channels(repository: Repository, arguments: argparse.Namespace) -> None:
    address = repository.publish(arguments.bundle)
    results = [load(address, 64, arguments.seconds) for _ in range(arguments.rounds)]
    rates = statistics.median(r["requests"] / r["seconds"] for r in results)
    slowest = statistics.median(r["p99"] for r in results)
    print(f"\nchannel documents, 64 connections: {rates:,.0f} requests/s, p99 {slowest:.1f} ms")


def stream(repository: Repository, size: int) -> None:
    """Uploads 2 GiB while 2 GiB are downloaded."""
    address = repository.upload(random_pieces(size), size)
    before = memory(repository.process.pid, "VmHWM")
    digest = hashlib.sha256()

    def download() -> None:
        with urllib.request.urlopen(address) as response:
            while piece := response.read(PIECE):
                digest.update(piece)

    thread = threading.Thread(target=download)
    thread.start()
    repository.upload(random_pieces(size), size)
    thread.join()
    if digest.hexdigest() != address.rsplit(":", 1)[1]:
        sys.exit("error: the download has different bytes")
    after = memory(repository.process.pid, "VmHWM")
    print(f"peak memory: {before:.0f} MiB after 2 GiB up, {after:.0f} MiB after 2 GiB up and down")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tensorio", type=Path, required=True)
    parser.add_argument("--bundle", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5)
    arguments = parser.parse_args()
    for program in ("wrk", "nginx"):
        if not shutil.which(program):
            sys.exit(f"error: {program} is missing; on Debian: apt-get install wrk nginx-light")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        # nginx's workers may run as another user.
        folder.chmod(0o755)
        repository = Repository(arguments.tensorio, folder)
        try:
            idle = memory(repository.process.pid, "VmRSS")
            print(f"idle: {idle:.0f} MiB")
            stream(repository, 2 << 30)
            compare(repository, folder, arguments)
            channels(repository, arguments)
            print(f"peak memory of all: {memory(repository.process.pid, 'VmHWM'):.0f} MiB")
        finally:
            repository.close()


if __name__ == "__main__":
    main()
