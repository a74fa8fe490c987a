# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Prints what Net Runner writes to standard error, once to a pipe and once to a terminal.

    server_log.py PROGRAM

Each time, the server gets one request, and is asked to end. The result is JSON.
"""

import json
import os
import pty
import signal
import subprocess
import sys
import urllib.request


def log(program: str, reader: int, writer: int) -> str:
    process = subprocess.Popen(
        [program, "netrunner", "--port", "0", "--no-browser"], stdout=subprocess.PIPE, stderr=writer, text=True)
    os.close(writer)
    assert process.stdout is not None
    address = process.stdout.readline().split()[-1]
    urllib.request.urlopen(f"{address}healthz").read()
    process.send_signal(signal.SIGTERM)
    process.wait()
    text = b""
    while True:
        try:
            part = os.read(reader, 1 << 16)
        except OSError:  # A terminal that nobody has open ends like this.
            break
        if not part:
            break
        text += part
    os.close(reader)
    return text.decode()


print(json.dumps({"pipe": log(sys.argv[1], *os.pipe()), "terminal": log(sys.argv[1], *pty.openpty())}))
