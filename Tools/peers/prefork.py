# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Runs programs in forks of a process that has imported the large libraries, because their import takes seconds.

    prefork.py serve SOCKET < PIPE     serves until its input ends
    prefork.py run SOCKET ARGUMENT...  runs a program there, with this process's streams and exit status

The arguments are those of `python`: a program or `-c CODE`, and what follows.

The libraries must not have started threads that a fork would miss. TensorFlow starts its own when it first computes.
"""

import contextlib
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys
import time
import traceback

LIBRARIES = ("ai_edge_litert.interpreter", "keras", "librosa.feature", "scipy.signal", "scipy.special", "scipy.stats",
             "sklearn.metrics", "sklearn.preprocessing", "tensorflow")


def serve(path: str) -> None:
    """Accepts connections, and runs the program of each in a fork."""
    os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0", "CUDA_VISIBLE_DEVICES": ""}
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(64)
    for name in LIBRARIES:
        # A program that needs a library which is missing reports it.
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while sys.stdin.buffer not in select.select([sys.stdin.buffer, listener], [], [])[0]:
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            answer(connection)
        connection.close()
    os.unlink(path)


def answer(connection: socket.socket) -> None:
    """Runs the program that a connection names, sends its exit status, and ends the process."""
    text, streams, _, _ = socket.recv_fds(connection, 1 << 20, 3)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.argv = json.loads(text)
    status = 1
    try:
        if sys.argv[0] == "-c":
            code = sys.argv.pop(1)
            exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
        else:
            sys.path[0] = os.path.dirname(sys.argv[0])
            runpy.run_path(sys.argv[0], run_name="__main__")
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:  # noqa: BLE001
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    connection.sendall(bytes([status & 0xFF]))
    os._exit(0)


def run(path: str, arguments: list[str]) -> int:
    """Runs a program in a fork of the server, and returns its exit status."""
    connection = socket.socket(socket.AF_UNIX)
    for attempt in range(600):
        try:
            connection.connect(path)
            break
        except (FileNotFoundError, ConnectionRefusedError):
            if attempt == 599:
                raise
            time.sleep(0.1)
    socket.send_fds(connection, [json.dumps(arguments).encode()], [0, 1, 2])
    status = connection.recv(1)
    if not status:
        print("The program ended without a status: it crashed, or its server ended.", file=sys.stderr)
    return status[0] if status else 70


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(sys.argv[2])
    else:
        sys.exit(run(sys.argv[2], sys.argv[3:]))
