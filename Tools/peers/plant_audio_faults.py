# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Makes features of a recording in the various ways that people use in Python, and saves the arrays.

    plant_audio_faults.py FOLDER

Writes `sound.wav`, which has two channels at 11,025 Hz, and for each way an array `NAME.npy`. The names that
start with `tensorflow`, `librosa`, `speech`, `micro` or `samples` are the bundle's own ways, without a fault.
All others differ from one of them in one stage. `Tests/tensorioTests/AudioParityTests.swift` says which.
"""

import argparse
import contextlib
import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import librosa  # noqa: E402
import numpy as np  # noqa: E402
import scipy.fft  # noqa: E402
import scipy.signal  # noqa: E402
import soundfile  # noqa: E402
import tensorflow as tf  # noqa: E402

with contextlib.suppress(ImportError):
    from tensorflow.lite.experimental.microfrontend.python.ops import audio_microfrontend_op as micro_op

RATE = 8000
FILE_RATE = 11025


def recording() -> np.ndarray:
    """Returns a sound of 0.55 seconds with two channels: chirps and noise whose loudness changes."""
    time = np.arange(int(FILE_RATE * 0.55)) / FILE_RATE
    random = np.random.default_rng(3)
    swell = 0.15 + np.abs(np.sin(7 * time))
    left = 0.3 * swell * np.sin(2 * np.pi * (300 + 1500 * time) * time) + 0.03 * random.normal(size=len(time))
    right = 0.2 * np.sin(2 * np.pi * (1900 - 900 * time) * time) + 0.05 * swell * random.normal(size=len(time))
    # The largest magnitude is that of a negative sample.
    return -np.stack([left, right + 0.02], 1)


def loaded(path: Path, *, rate: int = RATE, channel: int | None = None, resample: bool = True) -> np.ndarray:
    """Reads a file, takes the mean of its channels, and resamples it as SciPy does."""
    samples, own = soundfile.read(path, dtype="float32", always_2d=True)
    samples = samples.mean(axis=1) if channel is None else samples[:, channel]
    if resample and own != rate:
        divisor = np.gcd(own, rate)
        samples = scipy.signal.resample_poly(samples, rate // divisor, own // divisor)
    return samples.astype(np.float32)


def fixed(samples: np.ndarray, size: int = 4000) -> np.ndarray:
    """Cuts the end, or appends silence."""
    return np.pad(samples, (0, max(size - len(samples), 0)))[:size]


def tensorflow(
    samples: np.ndarray,
    *,
    window: int = 200,
    step: int = 80,
    fft: int | None = None,
    pad_end: bool = False,
    power: int = 1,
    bands: int = 20,
    low: float = 80.0,
    high: float = 3600.0,
    log: object = None,
    offset: float = 1e-6,
    coefficients: int | None = None,
    normalization: str | None = None,
) -> np.ndarray:
    """Returns a logarithmic mel spectrogram of tf.signal."""
    values = tf.abs(tf.signal.stft(samples, window, step, fft, pad_end=pad_end)) ** power
    weights = tf.signal.linear_to_mel_weight_matrix(bands, values.shape[-1], RATE, low, high)
    values = tf.tensordot(values, weights, 1).numpy()
    values = (log or np.log)(values + np.float32(offset)) if log != "none" else values
    if coefficients is None:
        return values
    if normalization == "ortho":
        return scipy.fft.dct(values, norm="ortho")[:, :coefficients]
    if normalization == "none":
        return scipy.fft.dct(values)[:, :coefficients]
    return tf.signal.mfccs_from_log_mel_spectrograms(values)[:, :coefficients].numpy()


def mel(samples: np.ndarray, *, convert: object = librosa.power_to_db, **changes: object) -> np.ndarray:
    """Returns a mel spectrogram of librosa in decibels, a row for each frame."""
    options = {"sr": RATE, "n_fft": 256, "hop_length": 80, "n_mels": 24, "fmin": 50.0, "fmax": 3800.0}
    return convert(librosa.feature.melspectrogram(y=samples, **{**options, **changes})).T


def mfcc(samples: np.ndarray, **changes: object) -> np.ndarray:
    """Returns a cepstrum of librosa, a row for each frame."""
    options = {"sr": RATE, "n_fft": 256, "hop_length": 80, "n_mels": 24, "n_mfcc": 12}
    return librosa.feature.mfcc(y=samples, **{**options, **changes}).T


def speech(
    samples: np.ndarray, window: int = 240, stride: int = 160, *, squared: bool = False, **changes: object
) -> np.ndarray:
    """Returns the cepstrum of speech_commands."""
    spectrum = tf.raw_ops.AudioSpectrogram(
        input=samples[:, None], window_size=window, stride=stride, magnitude_squared=squared
    )
    options = {"upper_frequency_limit": 3800.0, "filterbank_channel_count": 26, **changes}
    return tf.raw_ops.Mfcc(spectrogram=spectrum, sample_rate=RATE, **options).numpy()[0]


def micro(samples: np.ndarray, **changes: object) -> np.ndarray:
    """Returns the channels of micro_speech's front end."""
    integers = np.clip(samples * 32768, -32768, 32767).astype(np.int16)
    options = {"window_size": 30, "window_step": 20, "num_channels": 20, "upper_band_limit": 3800.0}
    values = micro_op.audio_microfrontend(tf.constant(integers), sample_rate=RATE, **{**options, **changes})
    return values.numpy().astype(np.float32)


def ways(path: Path) -> dict[str, np.ndarray]:
    """Returns all arrays."""
    samples = loaded(path)
    cut = fixed(samples)
    own = tensorflow(cut)
    decibels = mel(cut)

    def standardized(values: np.ndarray) -> np.ndarray:
        return (values - values.mean()) / values.std()

    arrays = {
        "tensorflow": own,
        "librosa": decibels,
        "librosa-mfcc": mfcc(cut),
        "tensorflow-mfcc": tensorflow(cut, coefficients=10),
        "speech": speech(cut),
        "micro": micro(cut),
        "samples": cut,
        # Samples.
        "first-channel": tensorflow(fixed(loaded(path, channel=0))),
        "not-resampled": tensorflow(fixed(loaded(path, resample=False))),
        "rate-of-librosa": tensorflow(fixed(loaded(path, rate=22050))),
        "soxr": tensorflow(fixed(librosa.load(path, sr=RATE)[0])),
        "end-kept": tensorflow(samples[-4000:]),
        "int16": tensorflow(cut * 32768),
        "int16-samples": cut * 32768,
        "maximum": tensorflow(cut / cut.max()),
        "magnitude": mel(cut / np.abs(cut).max()),
        "mean-removed": samples[:4000] - samples[:4000].mean(),
        "pre-emphasis": mel(librosa.effects.preemphasis(cut, zi=[0.0])),
        "no-length": tensorflow(samples),
        "silence-before": tensorflow(np.pad(samples, (6000 - len(samples), 0))),
        "silence-around": tensorflow(librosa.util.pad_center(samples, size=6000)),
        "repeated": tensorflow(np.resize(samples, 6000)),
        # Frames.
        "window-256": tensorflow(cut, window=256),
        "step-160": tensorflow(cut, step=160),
        "window-and-step": tensorflow(cut, window=320, step=160),
        "fft-512": tensorflow(cut, fft=512),
        "pad-end": tensorflow(cut, pad_end=True),
        "last-frame-missing": own[:-1],
        "first-frame-missing": own[1:],
        "not-centred": mel(cut, center=False),
        "reflect": mel(cut, pad_mode="reflect"),
        "hop-128": mel(cut, hop_length=128),
        "n-fft-512": mel(cut, n_fft=512, win_length=256),
        "win-200": mel(cut, win_length=200),
        "speech-stride": speech(cut, stride=80),
        "micro-step": micro(cut, window_step=10),
        # Spectrum and mel bands.
        "power-2": tensorflow(cut, power=2),
        "power-2-no-log": tensorflow(cut, power=2, log="none"),
        "power-1": mel(cut, power=1),
        "squared": speech(cut, squared=True),
        "low-0": tensorflow(cut, low=0.0),
        "high-4000": tensorflow(cut, high=4000.0),
        "bands-26": tensorflow(cut, bands=26),
        "fmin-0": mel(cut, fmin=0.0),
        "fmax-default": mel(cut, fmax=None),
        "htk": mel(cut, htk=True),
        "norm-none": mel(cut, norm=None),
        "speech-high": speech(cut, upper_frequency_limit=4000.0),
        # Logarithms.
        "no-log": tensorflow(cut, log="none", offset=0),
        "log10": tensorflow(cut, log=np.log10),
        "offset-1e-3": tensorflow(cut, offset=1e-3),
        "natural-log": mel(cut, convert=lambda x: np.log(x + 1e-6)),
        "ref-max": mel(cut, convert=lambda x: librosa.power_to_db(x, ref=np.max)),
        "top-db-40": mel(cut, convert=lambda x: librosa.power_to_db(x, top_db=40)),
        # Coefficients and axes.
        "mfcc-ortho": tensorflow(cut, coefficients=10, normalization="ortho"),
        "mfcc-plain": tensorflow(cut, coefficients=10, normalization="none"),
        "mfcc-13": tensorflow(cut, coefficients=13),
        "librosa-plain-dct": mfcc(cut, norm=None),
        "lifter-22": mfcc(cut, lifter=22),
        "transposed": own.T,
        "transposed-librosa": decibels.T,
        # Values.
        "scaled": decibels / 80 + 1,
        "standardized": standardized(decibels),
        "least-to-greatest": (decibels - decibels.min()) / (decibels.max() - decibels.min()),
        "quantized": np.clip(np.rint(own / 0.08 + 90), -128, 127).astype(np.int8),
        # Other functions.
        "librosa-function": mel(
            cut, n_fft=256, win_length=200, center=False, n_mels=20, fmin=80.0, fmax=3600.0, power=1, htk=True,
            norm=None, convert=lambda x: np.log(x + 1e-6),
        ),
        "tensorflow-function": tensorflow(
            cut, window=256, bands=24, low=50.0, high=3800.0, power=2, log=lambda x: 10 * np.log10(np.maximum(x, 1e-10)),
            offset=0,
        ),
        "speech-function": speech(
            cut, 200, 80, lower_frequency_limit=80.0, upper_frequency_limit=3600.0,
            filterbank_channel_count=20, dct_coefficient_count=10,
        ),
        "micro-function": micro(
            cut, window_size=25, window_step=10, lower_band_limit=80.0, upper_band_limit=3600.0
        ),
        # Two stages.
        "first-channel-log10": tensorflow(fixed(loaded(path, channel=0)), log=np.log10),
        "htk-transposed": mel(cut, htk=True).T,
        # What no variant explains.
        "unknown": np.sort(own, axis=0),
    }
    return {name: np.ascontiguousarray(array) for name, array in arrays.items()}


def main() -> None:
    """Reads the command line, and writes the files."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "sound.wav"
    soundfile.write(path, recording(), FILE_RATE, subtype="PCM_16")
    for name, array in ways(path).items():
        np.save(folder / f"{name}.npy", array)


if __name__ == "__main__":
    sys.exit(main())
