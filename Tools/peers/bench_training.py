# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Trains on one batch as fast as Python's Session can, for Benchmarks/training.py.

    bench_training.py SAVED_MODEL INTRA INTER IMAGE...

With 0, TensorFlow chooses the number of threads. For each number on standard input, the script makes that
many steps (the operation, then the loss, as two runs). It prints their median in milliseconds, and the loss.
"""

import json
import os
import statistics
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf  # noqa: E402

from train_steps import LOSS, batch  # noqa: E402


def main() -> None:
    """Reads the command line, then numbers of steps from standard input."""
    path, intra, inter, *images = sys.argv[1:]
    feeds = batch([f"{image}={index % 2}" for index, image in enumerate(images)], 128)
    config = tf.compat.v1.ConfigProto()
    config.intra_op_parallelism_threads = int(intra)
    config.inter_op_parallelism_threads = int(inter)
    with tf.compat.v1.Session(graph=tf.Graph(), config=config) as session:
        tf.compat.v1.saved_model.loader.load(session, ["train"], path)
        train = session.graph.get_operation_by_name("train")
        session.graph.get_tensor_by_name("labels:0")._shape_val = tf.TensorShape(None)
        session.run(train, feeds)
        session.run(LOSS, feeds)
        print("ready", flush=True)
        for line in sys.stdin:
            times = []
            for _ in range(int(line)):
                start = time.perf_counter()
                session.run(train, feeds)
                loss = float(session.run(LOSS, feeds))
                times.append((time.perf_counter() - start) * 1e3)
            print(json.dumps({"milliseconds": statistics.median(times), "loss": loss}), flush=True)


if __name__ == "__main__":
    main()
