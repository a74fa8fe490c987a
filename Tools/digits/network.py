# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""The network that reads digits: three small convolutions, trained and converted."""

import tempfile
from collections.abc import Callable, Iterator

import keras
import numpy as np
import tensorflow as tf

from .pictures import MODEL_SIZE

CLASSES = 10
EPOCHS = 60
BATCH_SIZE = 64
LEARNING_RATE = 4e-3
CALIBRATION_SAMPLES = 200


def train(pixels: np.ndarray, digits: np.ndarray, seed: int) -> keras.Model:
    """Trains on bytes of images. The returned network takes values from 0 to 1."""
    keras.utils.set_random_seed(seed)
    tf.config.experimental.enable_op_determinism()
    network = _network()
    inputs = values_from_bytes(pixels)
    steps = EPOCHS * -(-len(inputs) // BATCH_SIZE)
    trained = keras.Sequential([_shake(seed), network])
    rate = keras.optimizers.schedules.CosineDecay(LEARNING_RATE, steps)
    trained.compile(keras.optimizers.Adam(rate), loss="sparse_categorical_crossentropy")
    trained.fit(inputs, digits, batch_size=BATCH_SIZE, epochs=EPOCHS, verbose=0)
    return network


def values_from_bytes(pixels: np.ndarray) -> np.ndarray:
    """Applies the normalization "[0,1]" of the bundle."""
    return pixels.astype(np.float32) / 255


def convert_float(network: keras.Model) -> bytes:
    """Writes the network as a float32 model, image -> classification."""
    return _convert(network, lambda converter: None)


def convert_int8(network: keras.Model, pixels: np.ndarray) -> bytes:
    """Writes the network in whole-integer arithmetic. An input byte is an image's byte - 128."""
    samples = values_from_bytes(pixels[:CALIBRATION_SAMPLES])
    # Black and white fix the range to 0...1, so the scale is 1/255 and the zero point -128.
    samples = np.concatenate([samples, np.zeros_like(samples[:1]), np.ones_like(samples[:1])])

    def representative_dataset() -> Iterator[dict[str, np.ndarray]]:
        for sample in samples:
            yield {"image": sample[np.newaxis]}

    def configure(converter: tf.lite.TFLiteConverter) -> None:
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        converter.representative_dataset = representative_dataset
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        converter.inference_input_type = tf.int8
        converter.inference_output_type = tf.int8

    return _convert(network, configure)


def _network() -> keras.Model:
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input([MODEL_SIZE, MODEL_SIZE, 3]),
            layers.Conv2D(8, 3, strides=2, padding="same", activation="relu"),
            layers.Conv2D(16, 3, strides=2, padding="same", activation="relu"),
            layers.Conv2D(32, 3, strides=2, padding="same", activation="relu"),
            layers.Flatten(),
            layers.Dropout(0.3),
            layers.Dense(CLASSES, activation="softmax"),
        ]
    )


def _shake(seed: int) -> keras.Model:
    """Shifts, rotates, scales and brightens the images a little, as a camera would."""
    layers = keras.layers
    edges = {"fill_mode": "nearest", "seed": seed}
    return keras.Sequential(
        [
            keras.Input([MODEL_SIZE, MODEL_SIZE, 3]),
            layers.RandomTranslation(0.08, 0.08, **edges),
            layers.RandomRotation(0.02, **edges),
            layers.RandomZoom(0.12, **edges),
            layers.RandomContrast(0.3, value_range=(0, 1), seed=seed),
            layers.RandomBrightness(0.2, value_range=(0, 1), seed=seed),
        ]
    )


def _convert(network: keras.Model, configure: Callable[[tf.lite.TFLiteConverter], None]) -> bytes:
    # The weights become constants, because calibration cannot run a graph with variables.
    weights = [tf.constant(variable.numpy()) for variable in network.trainable_variables]
    others = [tf.constant(variable.numpy()) for variable in network.non_trainable_variables]

    @tf.function
    def classify(image: tf.Tensor) -> dict[str, tf.Tensor]:
        probabilities, _ = network.stateless_call(weights, others, image, training=False)
        return {"classification": probabilities}

    spec = tf.TensorSpec([1, MODEL_SIZE, MODEL_SIZE, 3], tf.float32, name="image")
    signatures = {"serving_default": classify.get_concrete_function(spec)}
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(tf.Module(), folder, signatures=signatures)
        converter = tf.lite.TFLiteConverter.from_saved_model(folder)
        configure(converter)
        return converter.convert()
