# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Load for servers, made by wrk."""

import json
import re
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

# wrk's own report leaves out shares below 1% of the requests, and its units vary.
SUMMARY = """
function done(summary, latency, requests)
  io.write(string.format(
    '{"requests": %d, "bytes": %d, "seconds": %f, "p50": %f, "p99": %f, "failed": %d}\\n',
    summary.requests, summary.bytes, summary.duration / 1e6, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3, summary.errors.status + summary.errors.connect
      + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
"""


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def load(address: str, connections: int, seconds: float, setup: str = "") -> dict:
    """Returns what one thread of wrk measures: requests, bytes and seconds, and p50 and p99 in milliseconds.

    `setup` is Lua code that describes the requests. By default, they are GET requests.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(setup + SUMMARY)
        script.flush()
        output = subprocess.run(
            ["wrk", "--threads", "1", "--connections", str(connections), "--duration",
             f"{seconds:.0f}s", "--timeout", "60s", "--script", script.name, address],
            capture_output=True, text=True, check=True).stdout
    result = json.loads(re.search(r"^\{.*\}$", output, re.MULTILINE)[0])
    if result["failed"]:
        sys.exit(f"error: {address} failed {result['failed']} requests")
    return result


def memory(process: int, kind: str) -> float:
    """Returns the MiB of a process from its `status`: VmRSS is the current memory, and VmHWM the peak."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.search(rf"^{kind}:\s+(\d+) kB", status, re.MULTILINE)[1]) / 1024
