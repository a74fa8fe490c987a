# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Computes features of recordings with TensorFlow, librosa and SciPy.

    audio.py < CASES.json

Reads an array of cases, each with a `kind` and `samples`, and prints an array of objects with `shape` and
`values`. Samples and values are the base64 form of float32 numbers. With `"double": true`, TensorFlow and
librosa compute in 64 bits, so that the difference shows how much of it is their own rounding.
"""

import base64
import contextlib
import io
import json
import os
import sys
import warnings

import numpy as np

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""


def tensorflow(case: dict) -> np.ndarray:
    """Computes a spectrogram, mel spectrogram or cepstrum with tf.signal."""
    import tensorflow as tf

    dtype = tf.float64 if case.get("double") else tf.float32
    spectrum = tf.abs(
        tf.signal.stft(
            tf.constant(_samples(case), dtype),
            frame_length=case["frame_length"],
            frame_step=case["frame_step"],
            fft_length=case.get("fft_length"),
            pad_end=case["pad_end"],
        )
    )
    if case["power"] == 2:
        spectrum = tf.square(spectrum)
    if "num_mel_bins" in case:
        # The weights are those of float32 in both precisions.
        weights = tf.signal.linear_to_mel_weight_matrix(
            case["num_mel_bins"],
            spectrum.shape[-1],
            case["sample_rate"],
            case["lower_edge_hertz"],
            case["upper_edge_hertz"],
        )
        spectrum = tf.tensordot(spectrum, tf.cast(weights, dtype), 1)
    if "offset" in case:
        spectrum = tf.math.log(spectrum + case["offset"])
    if "coefficients" in case:
        spectrum = tf.signal.mfccs_from_log_mel_spectrograms(spectrum)[..., : case["coefficients"]]
    return spectrum.numpy()


def librosa(case: dict) -> np.ndarray:
    """Computes a spectrogram, mel spectrogram or cepstrum with librosa."""
    import librosa as library

    samples = _samples(case).astype(np.float64 if case.get("double") else np.float32)
    transform = {name: case[name] for name in ["n_fft", "hop_length", "win_length", "center", "pad_mode"]}
    mel = {name: case[name] for name in ["n_mels", "fmin", "fmax", "htk"] if name in case}
    norm = case.get("norm", "slaney")
    if "n_mfcc" in case:
        return library.feature.mfcc(
            y=samples,
            sr=case["sample_rate"],
            n_mfcc=case["n_mfcc"],
            lifter=case["lifter"],
            mel_norm=norm,
            power=case["power"],
            **transform,
            **mel,
        ).T
    if "n_mels" in case:
        values = library.feature.melspectrogram(
            y=samples, sr=case["sample_rate"], power=case["power"], norm=norm, **transform, **mel
        )
    else:
        values = np.abs(library.stft(samples, **transform)) ** case["power"]
    if "offset" in case:
        values = np.log10(values + case["offset"]) * case["multiplier"]
    if "amin" in case:
        ref = np.max if case["ref"] == "max" else case["ref"]
        values = library.power_to_db(values, ref=ref, amin=case["amin"], top_db=case.get("top_db"))
    return values.T


def speech_commands(case: dict) -> np.ndarray:
    """Computes a spectrogram or cepstrum with TensorFlow's operations for speech_commands."""
    import tensorflow as tf

    spectrum = tf.raw_ops.AudioSpectrogram(
        input=_samples(case)[:, np.newaxis],
        window_size=case["window_size"],
        stride=case["stride"],
        magnitude_squared=case["magnitude_squared"],
    )
    if "dct_coefficient_count" in case:
        names = [
            *["upper_frequency_limit", "lower_frequency_limit"],
            *["filterbank_channel_count", "dct_coefficient_count"],
        ]
        spectrum = tf.raw_ops.Mfcc(
            spectrogram=spectrum, sample_rate=case["sample_rate"], **{name: case[name] for name in names}
        )
    return spectrum.numpy()[0]


def micro_speech(case: dict) -> np.ndarray:
    """Computes the channels of TensorFlow Lite Micro's front end."""
    import tensorflow as tf
    from tensorflow.lite.experimental.microfrontend.python.ops import audio_microfrontend_op

    integers = tf.constant(np.clip(_samples(case) * 32768, -32768, 32767).astype(np.int16))
    options = dict(case["options"])
    options["out_type"] = tf.as_dtype(options["out_type"])
    values = audio_microfrontend_op.audio_microfrontend(integers, sample_rate=case["sample_rate"], **options)
    return values.numpy().astype(np.float32)


def keyword_spotting(case: dict) -> np.ndarray:
    """Computes the features of MLPerf Tiny's keyword spotting, as its reference does."""
    import tensorflow as tf

    dtype = tf.float64 if case.get("double") else tf.float32
    samples = tf.constant(_samples(case))
    # The rounding errors of this division are part of the recording in both precisions.
    samples = tf.cast(samples / tf.reduce_max(samples), dtype)
    samples = tf.pad(samples, [[0, 16000 - len(samples)]])
    spectrum = tf.abs(tf.signal.stft(samples, frame_length=480, frame_step=320))
    weights = tf.signal.linear_to_mel_weight_matrix(40, spectrum.shape[-1], 16000, 20.0, 4000.0)
    logarithms = tf.math.log(tf.tensordot(spectrum, tf.cast(weights, dtype), 1) + 1e-6)
    return tf.signal.mfccs_from_log_mel_spectrograms(logarithms)[..., :10].numpy()


def anomaly_detection(case: dict) -> np.ndarray:
    """Computes the vectors of MLPerf Tiny's anomaly detection, as its reference does."""
    import librosa as library

    samples = _samples(case).astype(np.float64 if case.get("double") else np.float32)
    values = library.feature.melspectrogram(
        y=samples, sr=16000, n_fft=1024, hop_length=512, n_mels=128, power=2.0, pad_mode=case["pad_mode"]
    )
    values = 20.0 / 2.0 * np.log10(values + sys.float_info.epsilon)
    values = values[:, 50:250]
    rows = values.shape[1] - 5 + 1
    return np.concatenate([values[:, frame : frame + rows].T for frame in range(5)], axis=1)


def resample(case: dict) -> np.ndarray:
    """Changes the sample rate with SciPy."""
    from scipy import signal

    return signal.resample_poly(_samples(case), case["target"], case["source"])


def mono(case: dict) -> np.ndarray:
    """Returns the mean of the channels."""
    import librosa as library

    return library.to_mono(_samples(case).reshape(-1, case["channels"]).T)


def _samples(case: dict) -> np.ndarray:
    return np.frombuffer(base64.b64decode(case["samples"]), dtype=np.float32)


KINDS = {
    "tensorflow": tensorflow,
    "librosa": librosa,
    "speech_commands": speech_commands,
    "micro_speech": micro_speech,
    "keyword_spotting": keyword_spotting,
    "anomaly_detection": anomaly_detection,
    "resample": resample,
    "mono": mono,
}


def main() -> None:
    """Computes all cases from standard input."""
    warnings.simplefilter("ignore")
    results = []
    # TensorFlow prints messages while it is loaded.
    with contextlib.redirect_stdout(io.StringIO()):
        for case in json.load(sys.stdin):
            values = np.ascontiguousarray(KINDS[case["kind"]](case), dtype=np.float32)
            results.append({"shape": values.shape, "values": base64.b64encode(values.tobytes()).decode()})
    json.dump(results, sys.stdout)


if __name__ == "__main__":
    main()
