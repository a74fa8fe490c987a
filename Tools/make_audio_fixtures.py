# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Writes the audio files that tests read, and their samples as soundfile reads them.

    make_audio_fixtures.py FOLDER

The recordings are a tenth of a second of tones with noise. `expected.json` has the sample rate, the number of
channels and the mean of the channels of each file, the latter as the base64 form of float32 numbers. libsndfile
writes the time to `float.wav` and random numbers to Ogg files, so that these differ each time.
"""

import base64
import json
import sys
from pathlib import Path

import numpy as np
import soundfile

FILES = {
    "pcm16.wav": ("WAV", "PCM_16", 8000, 2),
    "float.wav": ("WAV", "FLOAT", 8000, 1),
    "pcm24.wav": ("WAVEX", "PCM_24", 8000, 3),
    "pcm8.wav": ("WAV", "PCM_U8", 8000, 1),
    "pcm32.wav": ("RF64", "PCM_32", 8000, 1),
    "ulaw.wav": ("WAV", "ULAW", 8000, 1),
    "pcm16.flac": ("FLAC", "PCM_16", 8000, 2),
    "vorbis.ogg": ("OGG", "VORBIS", 16000, 1),
    "opus.ogg": ("OGG", "OPUS", 16000, 2),
    "adpcm.wav": ("WAV", "MS_ADPCM", 8000, 1),
}


def main() -> None:
    """Writes all files."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(3)
    expected = {}
    for name, (kind, subtype, rate, channels) in FILES.items():
        time = np.arange(rate // 10) / rate
        tones = [0.5 * np.sin(2 * np.pi * 300 * (channel + 1) * time) for channel in range(channels)]
        samples = np.stack(tones, axis=1) + 0.01 * random.standard_normal((len(time), channels))
        soundfile.write(folder / name, samples.astype(np.float32), rate, subtype, format=kind)
        read, _ = soundfile.read(folder / name, dtype="float32", always_2d=True)
        mean = np.ascontiguousarray(np.mean(read.T, axis=0))
        expected[name] = {
            "sample_rate": rate,
            "channels": channels,
            "samples": base64.b64encode(mean.tobytes()).decode(),
        }
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main()
