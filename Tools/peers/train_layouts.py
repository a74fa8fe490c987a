# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Exports models for training in several layouts, trains each in Python, and prints the losses as JSON.

    train_layouts.py FOLDER DOCUMENT FILE.tflite

The layouts are `archive`, the Python example of a document (Keras 3's ExportArchive); `module`, a tf.Module with
plain variables; `natural`, a tf.Module around a Keras 3 network, which lacks variables; `kept`, the same with its
variables; `weighted`, whose items have weights and whose gradients are clipped; and `graph`, a graph of
tf.compat.v1. FOLDER/NAME is the SavedModel. A loss is that of `evaluate` after a
step on a batch, as Swift computes it. `repeated` has the losses of four epochs with the same items, and FILE.tflite
is trained on them, too.
"""

import json
import os
import re
import subprocess
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import keras  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from ai_edge_litert.interpreter import Interpreter  # noqa: E402
from sklearn.utils.class_weight import compute_class_weight  # noqa: E402

STEPS = 100
BATCH = 16
X = tf.TensorSpec([None, 2], tf.float32, "x")
LABEL = tf.TensorSpec([None], tf.int32, "label")
RATE = tf.TensorSpec([], tf.float32, "rate")
WEIGHT = tf.TensorSpec([None], tf.float32, "weight")
CLIP = tf.TensorSpec([], tf.float32, "clip")


def batches() -> list[tuple[np.ndarray, np.ndarray]]:
    """Returns the batches of all steps, from numbers that JSON keeps exactly."""
    numbers = np.random.default_rng(7).integers(-1024, 1024, (STEPS, BATCH, 2))
    values = (numbers / 1024).astype(np.float32)
    labels = np.where(values.sum(2) < -0.4, 0, np.where(values[..., 0] > values[..., 1] + 0.3, 1, 2))
    return list(zip(values, labels.astype(np.int32)))


class Natural(tf.Module):
    """A Keras 3 network in a tf.Module, as one would write it first."""

    def __init__(self) -> None:
        super().__init__()
        keras.utils.set_random_seed(1)
        self.network = keras.Sequential([
            keras.layers.Input((2,)), keras.layers.Dense(8, activation="relu"),
            keras.layers.Dense(3, activation="softmax")])
        self.optimizer = keras.optimizers.Adam(0.01)
        self.optimizer.build(self.network.trainable_variables)
        self.loss_of = keras.losses.SparseCategoricalCrossentropy()

    @tf.function(input_signature=[X, LABEL])
    def train(self, x, label):
        with tf.GradientTape() as tape:
            loss = self.loss_of(label, self.network(x, training=True))
        gradients = tape.gradient(loss, self.network.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.network.trainable_variables))
        return {"loss": loss}

    @tf.function(input_signature=[X, LABEL])
    def evaluate(self, x, label):
        return {"loss": self.loss_of(label, self.network(x, training=False))}

    @tf.function(input_signature=[X])
    def predict(self, x):
        return {"probabilities": self.network(x, training=False)}


class Kept(Natural):
    """The same with references to its variables."""

    def __init__(self) -> None:
        super().__init__()
        self.kept = [v.value for v in self.network.variables + self.optimizer.variables]


class Plain(tf.Module):
    """Two dense layers of plain variables, whose learning rate is an input."""

    def __init__(self) -> None:
        super().__init__()
        generator = np.random.default_rng(3)
        self.layers = [tf.Variable((generator.normal(size=shape) * 0.5).astype(np.float32))
                       for shape in [(2, 8), (8,), (8, 3), (3,)]]

    def logits(self, x):
        first, second, third, fourth = self.layers
        return tf.nn.relu(x @ first + second) @ third + fourth

    def loss(self, x, label):
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(label, self.logits(x)))

    @tf.function(input_signature=[X, LABEL, RATE])
    def train(self, x, label, rate):
        with tf.GradientTape() as tape:
            loss = self.loss(x, label)
        for variable, gradient in zip(self.layers, tape.gradient(loss, self.layers)):
            variable.assign_sub(rate * gradient)
        return {"loss": loss}

    @tf.function(input_signature=[X, LABEL])
    def evaluate(self, x, label):
        return {"loss": self.loss(x, label)}

    @tf.function(input_signature=[X])
    def predict(self, x):
        return {"probabilities": tf.nn.softmax(self.logits(x))}


class Weighted(Plain):
    """The same with a weight for each item, and a bound of the gradients' norm."""

    def weighted_loss(self, x, label, weight):
        return tf.reduce_mean(
            weight * tf.nn.sparse_softmax_cross_entropy_with_logits(label, self.logits(x)))

    @tf.function(input_signature=[X, LABEL, WEIGHT, RATE, CLIP])
    def train(self, x, label, weight, rate, clip):
        with tf.GradientTape() as tape:
            loss = self.weighted_loss(x, label, weight)
        gradients, _ = tf.clip_by_global_norm(tape.gradient(loss, self.layers), clip)
        for variable, gradient in zip(self.layers, gradients):
            variable.assign_sub(rate * gradient)
        return {"loss": loss}

    @tf.function(input_signature=[X, LABEL, WEIGHT])
    def evaluate(self, x, label, weight):
        return {"loss": self.weighted_loss(x, label, weight)}


def export_module(module: tf.Module, path: str) -> None:
    tf.saved_model.save(module, path, signatures={
        "train": module.train, "evaluate": module.evaluate, "serving_default": module.predict})


def export_document(page: str, folder: str) -> None:
    """Runs the first Python example of a document, which writes the SavedModel `points`."""
    code = re.search(r"^```python\n(.*?)^```", open(page).read(), re.DOTALL | re.MULTILINE).group(1)
    script = os.path.join(folder, "export.py")
    with open(script, "w") as file:
        file.write(code)
    subprocess.run([sys.executable, script], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    os.rename(os.path.join(folder, "points"), os.path.join(folder, "archive"))


def export_graph(path: str) -> None:
    """Writes a graph of TensorFlow 1, whose operations have the layers' names."""
    v1 = tf.compat.v1
    with v1.Graph().as_default(), v1.Session() as session:
        v1.set_random_seed(5)
        x = v1.placeholder(tf.float32, [None, 2], "x")
        label = v1.placeholder(tf.int32, [None], "label")
        rate = v1.placeholder(tf.float32, [], "rate")
        generator = np.random.default_rng(3)
        parts = [v1.Variable((generator.normal(size=shape) * 0.5).astype(np.float32))
                 for shape in [(2, 8), (8,), (8, 3), (3,)]]
        logits = tf.nn.relu(x @ parts[0] + parts[1]) @ parts[2] + parts[3]
        probabilities = tf.nn.softmax(logits, name="probabilities")
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(label, logits), name="loss")
        v1.train.GradientDescentOptimizer(rate).minimize(loss, name="train")
        session.run(v1.global_variables_initializer())
        info = v1.saved_model.build_tensor_info
        builder = v1.saved_model.Builder(path)
        definition = v1.saved_model.build_signature_def
        builder.add_meta_graph_and_variables(session, ["train"], signature_def_map={
            "serving_default": definition({"x": info(x)}, {"probabilities": info(probabilities)}),
            "train": definition(
                {"x": info(x), "label": info(label), "rate": info(rate)}, {"loss": info(loss)})})
        builder.save()


def epochs() -> list[tuple[np.ndarray, np.ndarray]]:
    """Returns the batches of four epochs with the same items."""
    return batches()[:STEPS // 4] * 4


def losses(path: str, takes_rate: bool, steps: list) -> list[float]:
    """Trains a SavedModel of TensorFlow 2 by its signatures."""
    model = tf.saved_model.load(path)
    rate = {"rate": tf.constant(0.1)} if takes_rate else {}
    found = []
    for values, labels in steps:
        given = {"x": tf.constant(values), "label": tf.constant(labels)}
        model.signatures["train"](**given, **rate)
        found.append(float(model.signatures["evaluate"](**given)["loss"]))
    return found


def weighted_losses(path: str) -> list[float]:
    """Trains with the weights that scikit-learn gives the classes of all items."""
    model = tf.saved_model.load(path)
    labels = np.concatenate([labels for _, labels in batches()])
    weights = compute_class_weight("balanced", classes=np.unique(labels), y=labels).astype(np.float32)
    found = []
    for values, labels in batches():
        given = {"x": tf.constant(values), "label": tf.constant(labels), "weight": tf.constant(weights[labels])}
        model.signatures["train"](**given, rate=tf.constant(0.5), clip=tf.constant(0.125))
        found.append(float(model.signatures["evaluate"](**given)["loss"]))
    return found


def losses_of_graph(path: str, steps: list) -> list[float]:
    v1 = tf.compat.v1
    with v1.Session(graph=tf.Graph()) as session:
        v1.saved_model.loader.load(session, ["train"], path)
        found = []
        for values, labels in steps:
            given = {"x:0": values, "label:0": labels, "rate:0": 0.1}
            session.run(session.graph.get_operation_by_name("train"), given)
            found.append(float(session.run("loss:0", given)))
        return found


def losses_of_file(path: str, steps: list) -> list[float]:
    """Trains a .tflite file, whose loss is that from before a step, on three values and two labels an item."""
    train = Interpreter(path).get_signature_runner("train")
    return [float(train(x=np.c_[values, values[:, :1]], y=np.eye(2, dtype=np.float32)[np.minimum(labels, 1)],
                        rate=np.float32(0.1))["loss"]) for values, labels in steps]


def main() -> None:
    folder, page, file = sys.argv[1:]
    export_document(os.path.abspath(page), folder)
    for name, module in (("natural", Natural()), ("kept", Kept()), ("module", Plain()), ("weighted", Weighted())):
        export_module(module, os.path.join(folder, name))
    export_graph(os.path.join(folder, "graph"))
    result, repeated = ({
        **{name: losses(os.path.join(folder, name), name == "module", steps) for name in ("archive", "kept", "module")},
        "graph": losses_of_graph(os.path.join(folder, "graph"), steps)} for steps in (batches(), epochs()))
    repeated["file"] = losses_of_file(file, epochs())
    items = [[{"x": x.tolist(), "label": int(y)} for x, y in zip(values, labels)] for values, labels in batches()]
    rates = keras.optimizers.schedules
    cosine = rates.CosineDecay(0.0, 90, alpha=0.1, warmup_target=0.05, warmup_steps=10)
    step = rates.ExponentialDecay(0.05, 7, 0.5, staircase=True)
    schedules = {name: [float(schedule(i)) for i in range(120)] for name, schedule in (("cosine", cosine), ("step", step))}
    weighted = weighted_losses(os.path.join(folder, "weighted"))
    print(json.dumps({"losses": result, "repeated": repeated, "weighted": weighted, "batches": items, "schedules": schedules}))


if __name__ == "__main__":
    main()
