# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""A web server for tests that fails now and then.

    flaky.py FOLDER

It prints its port. A path is /HOW/FILE, and the response to the first requests for it depends on HOW:

    plain       the file
    busy        503, always
    recovers    503, then 429 with Retry-After, then the file
    breaks      a closed connection, then the file
    cut         half of the file, then a closed connection, twice; later requests get the range that they ask for
    cut-whole   the same, but later requests get the whole file, as from servers without ranges
    replaced    the same as cut, but later requests find a file with another ETag
    cut-always  half of what was asked for, then a closed connection, always

When its input ends, the server prints the number of requests for each path as JSON, and ends.
"""

import http.server
import json
import os
import sys
import threading
from collections import Counter
from pathlib import Path

ROOT = Path(sys.argv[1])
COUNTS: Counter = Counter()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_) -> None:
        pass

    def do_GET(self) -> None:
        COUNTS[self.path] += 1
        count = COUNTS[self.path]
        how, name = self.path.removeprefix("/").split("/", 1)
        data = (ROOT / name).read_bytes()
        if how == "busy":
            return self.answer(503)
        if how == "recovers" and count <= 2:
            return self.answer(503) if count == 1 else self.answer(429, retry_after="1")
        if how == "breaks" and count == 1:
            self.close_connection = True
            return None
        tag = f'"{len(data)}"' if how != "replaced" or count <= 2 else '"new"'
        asked = self.headers.get("Range")
        start = 0
        if asked and how != "cut-whole" and self.headers.get("If-Range", tag) == tag:
            start = int(asked.removeprefix("bytes=").removesuffix("-"))
        status = 206 if start else 200
        part = data[start:]
        is_cut = how == "cut-always" or (how in ("cut", "cut-whole", "replaced") and count <= 2)
        return self.answer(status, part, tag, sent=len(part) // 2 if is_cut else None)

    def answer(self, status: int, data: bytes = b"", tag: str = "", sent: int | None = None,
               retry_after: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        if tag:
            self.send_header("ETag", tag)
        if retry_after:
            self.send_header("Retry-After", retry_after)
        self.end_headers()
        self.wfile.write(data[:sent])
        if sent is not None:
            self.close_connection = True


def main() -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()
    print(json.dumps(COUNTS), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
