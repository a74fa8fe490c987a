#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Measures the time and the memory of `tensorio list`, and kills it on the way.

    Benchmarks/listing.py --tensorio PROGRAM --folder DIR [--files 10000000] [--keys 10000000]

It makes DIR with hard links to copies of a photo, at most 60,000 to a copy, in folders of 5,000. A tenth of them
is listed, then all of them. After that, the listing is killed with SIGKILL twice on the way and resumed, and the
two manifests must have the same bytes. The same is done with keys of a bucket, which a server in this process
makes up. Each line of the result has the seconds and the peak of the resident memory. DIR is removed at the end.
It needs GNU time as /usr/bin/time.
"""

import argparse
import filecmp
import http.server
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.parse
from pathlib import Path

PHOTO = Path(__file__).parent / "photo-640x480.jpg"
GROUPS, PER_FOLDER, PER_COPY, PER_PAGE = 10, 5000, 60_000, 1000
CONTENTS = (
    "<Contents><Key>{}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
    "<ETag>&quot;9b2cf535f27731c974343645a3985328&quot;</ETag><Size>69000</Size>"
    "<StorageClass>STANDARD</StorageClass></Contents>")


def make_links(folder: Path, count: int) -> None:
    number = 0
    for group in range(GROUPS):
        end = count * (group + 1) // GROUPS
        while number < end:
            place = folder / f"photos/{group:02}/{number // PER_FOLDER:06}"
            place.mkdir(parents=True, exist_ok=True)
            for _ in range(min(PER_FOLDER - number % PER_FOLDER, end - number)):
                copy = folder / f"copy-{number // PER_COPY:04}.jpg"
                if number % PER_COPY == 0:
                    shutil.copy(PHOTO, copy)
                os.link(copy, place / f"IMG_{number:09}.jpg")
                number += 1


class Bucket(http.server.BaseHTTPRequestHandler):
    """A bucket whose prefix N/ has N keys."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_) -> None:
        pass

    def do_GET(self) -> None:
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        prefix = query["prefix"][0]
        last = re.search(r"IMG_(\d+)", query.get("start-after", [""])[0])
        start = int(query.get("continuation-token", [int(last[1]) + 1 if last else 0])[0])
        end = min(start + PER_PAGE, int(prefix.rstrip("/")))
        parts = ['<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><EncodingType>url</EncodingType>']
        parts += [CONTENTS.format(f"{prefix}{n // PER_FOLDER:06}/IMG_{n:09}.jpg") for n in range(start, end)]
        if end < int(prefix.rstrip("/")):
            parts.append(f"<IsTruncated>true</IsTruncated><NextContinuationToken>{end}</NextContinuationToken>")
        data = "".join([*parts, "</ListBucketResult>"]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def environment() -> dict[str, str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Bucket)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return {**kept, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_port}"}


class Listing:
    """The command that lists an input."""

    def __init__(self, program: Path, folder: Path, variables: dict[str, str]):
        self.program, self.folder, self.variables = program, folder, variables

    def command(self, source: str, name: str) -> list[str]:
        return [str(self.program), "list", source, "-o", str(self.folder / name), "--resume"]

    def measure(self, source: str, name: str) -> float:
        timed = ["/usr/bin/time", "-f", "%e %M", *self.command(source, name)]
        result = subprocess.run(timed, env=self.variables, capture_output=True, text=True)
        if result.returncode:
            sys.exit(f"error: {' '.join(timed)}: {result.stderr}")
        seconds, kilobytes = result.stderr.split()[-2:]
        items = result.stdout.split(": ")[-1].strip()
        print(f"| {source} | {items} | {seconds} s | {int(kilobytes) / 1024:.1f} MiB |", flush=True)
        return float(seconds)

    def kill(self, source: str, name: str, seconds: float) -> None:
        process = subprocess.Popen(self.command(source, name), env=self.variables)
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        size = (self.folder / name).stat().st_size
        print(f"killed: {process.wait() == -signal.SIGKILL}, with {size} bytes", flush=True)

    def run(self, small: str, large: str) -> None:
        self.measure(small, "small.manifest")
        seconds = self.measure(large, "whole.manifest")
        for _ in range(2):
            self.kill(large, "killed.manifest", seconds / 3)
        self.measure(large, "killed.manifest")
        paths = [self.folder / name for name in ("whole.manifest", "killed.manifest")]
        print(f"the same {paths[0].stat().st_size} bytes: {filecmp.cmp(*paths, shallow=False)}", flush=True)
        for path in [*paths, self.folder / "small.manifest"]:
            path.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tensorio", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True, help="a new folder, which is removed at the end")
    parser.add_argument("--files", type=int, default=10_000_000)
    parser.add_argument("--keys", type=int, default=10_000_000)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True)
    try:
        listing = Listing(arguments.tensorio.resolve(), arguments.folder, environment())
        if arguments.keys:
            listing.run(f"s3://bucket/{arguments.keys // 10}/", f"s3://bucket/{arguments.keys}/")
        if arguments.files:
            make_links(arguments.folder, arguments.files)
            photos = arguments.folder / "photos"
            listing.run(str(photos / "00"), str(photos))
    finally:
        shutil.rmtree(arguments.folder)


if __name__ == "__main__":
    main()
