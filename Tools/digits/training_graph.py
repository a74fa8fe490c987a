# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""The network of the training bundle: three small convolutions with random weights."""

from pathlib import Path

import tensorflow as tf

from fixtures.saved_models.writing import graph, placeholder, v1

from .pictures import MODEL_SIZE

CLASSES = 10


def write(folder: Path, seed: int) -> None:
    """Writes the graph as TensorFlow 1 did. The operation `train` takes one step of Adam.

    It uses neither dropout nor batch statistics, so the trained graph is also the one that predicts.
    """
    with graph(folder, tag="train") as signatures:
        image = placeholder("image", [None, MODEL_SIZE, MODEL_SIZE, 1])
        label = placeholder("label", [None, 1], tf.int32)
        rate = placeholder("learning_rate", [])
        # Ink is 1 and paper is 0, so that paper has no effect.
        values = _convolution(1.0 - image, "convolution1", 16, 2, seed)
        values = _pooled(_convolution(values, "convolution2", 32, 1, seed + 1))
        values = _pooled(_convolution(values, "convolution3", 32, 1, seed + 2))
        count = values.shape[1:].num_elements()
        dense = _weights("dense", [count, CLASSES], seed + 3)
        flat = tf.reshape(values, [-1, count])
        logits = tf.linalg.matmul(flat, dense) + _biases("dense_bias", CLASSES)
        probabilities = tf.nn.softmax(logits, name="probabilities")

        digit = tf.squeeze(label, [1])
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=digit, logits=logits)
        loss = tf.reduce_mean(losses, name="loss")
        found = tf.argmax(logits, axis=1, output_type=tf.int32)
        tf.reduce_mean(tf.cast(tf.equal(found, digit), tf.float32), name="accuracy")
        v1.train.AdamOptimizer(rate).minimize(loss, name="train")
        signatures.add("serving_default", {"image": image}, {"probabilities": probabilities})


def _convolution(values: tf.Tensor, name: str, filters: int, stride: int, seed: int) -> tf.Tensor:
    kernel = _weights(name, [3, 3, values.shape[-1], filters], seed)
    sums = tf.nn.conv2d(values, kernel, strides=stride, padding="SAME")
    return tf.nn.relu(sums + _biases(f"{name}_bias", filters))


def _pooled(values: tf.Tensor) -> tf.Tensor:
    return tf.nn.max_pool2d(values, ksize=2, strides=2, padding="SAME")


def _weights(name: str, shape: list[int], seed: int) -> tf.Variable:
    initializer = v1.initializers.he_normal(seed=seed)
    return v1.get_variable(name, shape, initializer=initializer, use_resource=True)


def _biases(name: str, count: int) -> tf.Variable:
    return v1.get_variable(name, [count], initializer=v1.zeros_initializer(), use_resource=True)
