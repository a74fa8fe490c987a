# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Writes the results of Flower and of Google's accountant that the tests of federated rounds compare with.

    make_federated.py flower FOLDER      needs flwr of Tools/requirements-federated.txt
    make_federated.py epsilon FOLDER     needs dp-accounting of Tools/requirements-federated.txt
    make_federated.py model FOLDER       makes points.tiobundle; needs Tools/requirements.txt
"""

import json
import sys
from pathlib import Path

import numpy as np


def flower() -> object:
    """Averages the weights of eight clients with Flower."""
    from flwr.server.strategy.aggregate import aggregate

    random = np.random.default_rng(235)
    shapes = {"bias": [5], "scale": [], "weight": [7, 5]}
    base = [random.normal(size=shape).astype(np.float32) for shape in shapes.values()]
    clients = []
    for examples in [1, 7, 20, 33, 64, 100, 500, 1234]:
        change = [random.normal(0, 0.1, size=shape).astype(np.float32) for shape in shapes.values()]
        clients.append((change, examples))
    weights = [([b + c for b, c in zip(base, change)], count) for change, count in clients]
    return {
        "shapes": shapes,
        "base": [np.ravel(b).tolist() for b in base],
        "clients": [
            {"examples": count, "changes": [np.ravel(c).tolist() for c in change]}
            for change, count in clients
        ],
        "changes": [np.ravel(a).tolist() for a in aggregate(clients)],
        "weights": [np.ravel(a).tolist() for a in aggregate(weights)],
    }


def epsilon() -> object:
    """Asks Google's accountant."""
    import dp_accounting
    from dp_accounting.rdp import rdp_privacy_accountant

    rows = []
    for noise in [0.3, 0.5, 1.0, 1.1, 2.0, 4.0, 10.0, 100.0]:
        for delta in [1e-3, 1e-5, 1e-9]:
            for releases in [1, 10, 100]:
                accountant = rdp_privacy_accountant.RdpAccountant()
                accountant.compose(dp_accounting.GaussianDpEvent(noise), releases)
                rows.append([noise, delta, releases, float(accountant.get_epsilon(delta))])
    return rows


def model(folder: Path) -> None:
    """Makes a bundle with a frozen layer and a last one that is trained, for points of three classes."""
    import tempfile

    import tensorflow as tf

    random = np.random.default_rng(7)
    hidden = tf.constant(random.normal(size=(2, 12)).astype(np.float32))

    class Model(tf.Module):
        """A network whose last layer has variables."""

        def __init__(self) -> None:
            super().__init__()
            self.weight = tf.Variable(tf.zeros([12, 3]))
            self.bias = tf.Variable(tf.zeros([3]))

        def logits(self, x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            """Returns the features and the logits."""
            features = tf.tanh(tf.matmul(x, hidden))
            return features, tf.matmul(features, self.weight) + self.bias

        def train(self, x: tf.Tensor, y: tf.Tensor, rate: tf.Tensor) -> dict[str, tf.Tensor]:
            """Takes a step of gradient descent."""
            features, logits = self.logits(x)
            share = tf.nn.softmax(logits)
            loss = -tf.reduce_mean(tf.reduce_sum(y * tf.nn.log_softmax(logits), axis=1))
            slope = (share - y) / tf.cast(tf.shape(x)[0], tf.float32)
            self.weight.assign_sub(rate * tf.matmul(features, slope, transpose_a=True))
            self.bias.assign_sub(rate * tf.reduce_sum(slope, axis=0))
            return {"loss": loss}

        def infer(self, x: tf.Tensor) -> dict[str, tf.Tensor]:
            """Predicts."""
            return {"probabilities": tf.nn.softmax(self.logits(x)[1])}

        def weights(self) -> dict[str, tf.Tensor]:
            """Returns the variables."""
            return {"weight": self.weight.read_value(), "bias": self.bias.read_value()}

        def set_weights(self, weight: tf.Tensor, bias: tf.Tensor) -> dict[str, tf.Tensor]:
            """Assigns the variables."""
            self.weight.assign(weight)
            self.bias.assign(bias)
            return {"sum": tf.reduce_sum(weight) + tf.reduce_sum(bias)}

    made = Model()

    def signature(function, **shapes: list[int | None]) -> object:  # type: ignore[no-untyped-def]
        specs = {name: tf.TensorSpec(shape, name=name) for name, shape in shapes.items()}
        return tf.function(function).get_concrete_function(**specs)

    signatures = {
        "train": signature(made.train, x=[None, 2], y=[None, 3], rate=[]),
        "infer": signature(made.infer, x=[None, 2]),
        "weights": signature(made.weights),
        "set_weights": signature(made.set_weights, weight=[12, 3], bias=[3]),
    }
    bundle = folder / "points.tiobundle"
    (bundle / "assets").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as saved:
        tf.saved_model.save(made, saved, signatures=signatures)
        converter = tf.lite.TFLiteConverter.from_saved_model(saved, signature_keys=list(signatures))
        (bundle / "model.tflite").write_bytes(converter.convert())
    (bundle / "assets" / "labels.txt").write_text("a\nb\nc\n")
    manifest = {
        "name": "points", "details": "Points of three classes.", "id": "points", "version": "1",
        "author": "", "license": "",
        "model": {"file": "model.tflite", "quantized": False, "modes": ["predict", "train", "eval"],
                  "signature": "infer"},
        "inputs": [{"name": "x", "type": "array", "shape": [-1, 2]},
                   {"name": "y", "type": "array", "shape": [-1, 3]}],
        "outputs": [{"name": "probabilities", "type": "array", "shape": [-1, 3], "labels": "labels.txt"}],
        "placeholders": [{"name": "rate", "type": "scalar", "shape": []}],
        "train": {"ops": ["train"]},
    }
    (bundle / "model.json").write_text(json.dumps(manifest, indent=2) + "\n")


if __name__ == "__main__":
    name = sys.argv[1]
    if name == "model":
        model(Path(sys.argv[2]))
        sys.exit()
    content = {"flower": flower, "epsilon": epsilon}[name]()
    Path(sys.argv[2], name + ".json").write_text(json.dumps(content) + "\n")
