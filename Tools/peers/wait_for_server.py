# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Waits until a server answers without an error: wait_for_server.py ADDRESS SECONDS

The tests don't ask with Foundation's URLSession. On Linux, Dispatch ends the process (Swift 6.3.1)
when a connection is refused while other threads open and close files.
"""

import sys
import time
import urllib.request


def main() -> None:
    address, seconds = sys.argv[1], float(sys.argv[2])
    end = time.monotonic() + seconds
    while True:
        try:
            urllib.request.urlopen(address, timeout=seconds).close()
            return
        except OSError as error:
            if time.monotonic() > end:
                sys.exit(f"{address} didn't answer within {seconds:g} s: {error}")
        time.sleep(0.05)


if __name__ == "__main__":
    main()
