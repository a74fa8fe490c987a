# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Tries the tasks of MLPerf Tiny with trained models of other people, and compares all numbers with Python's.

    mlperf_tiny.py TENSORIO MODELS [--photos FOLDER] [--recordings FOLDER] [--keywords MODEL.tflite]

MODELS is the folder that `make tiny` fetches. Each model becomes a bundle by `tensorio init` and a few edited lines.
Its samples are run and evaluated, and every score and metric is compared with LiteRT's interpreter, librosa,
TensorFlow, Pillow and scikit-learn. The script exits with 1 if a number differs by more than 1e-6 of the larger of it
and 1, or if more than five lines were edited.

The samples are made here: recordings of machines, sounds like words, and tiles of photos (by default of
Tests/Fixtures/Parity). RECORDINGS has recordings of machines with DCASE's names. MLPerf's own model of keywords isn't
in MODELS, so recordings of words are compared only with --keywords.
"""

import argparse
import base64
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import audio
import metrics
import numpy as np
import soundfile
from ai_edge_litert.interpreter import Interpreter
from PIL import Image

LIMIT = 1e-6
MOST_EDITS = 5
RATE = 16_000
ROOT = Path(__file__).resolve().parent.parent.parent
OBJECTS = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]
# The order of MLPerf's model and that of the model in MODELS.
WORDS = ["down", "go", "left", "no", "off", "on", "right", "stop", "up", "yes", "silence", "unknown"]
OWN_WORDS = ["yes", "no", "up", "down", "left", "right", "on", "off", "stop", "go", "unknown", "_background_noise_"]


class Trial:
    """Runs the program and the peers, and collects differences."""

    def __init__(self, program: str, folder: Path) -> None:
        self.program, self.folder = program, folder
        self.rows: list[tuple[str, int, int, float, float]] = []
        self.failures: list[str] = []

    def tensorio(self, *arguments: object) -> tuple[str, str]:
        command = [self.program, *map(str, arguments)]
        result = subprocess.run(command, capture_output=True, text=True, cwd=self.folder)
        if result.returncode != 0:
            sys.exit(f"{' '.join(command)} exited with {result.returncode}:\n{result.stderr}")
        return result.stdout, result.stderr

    def bundle(
        self, model: Path, name: str, edits: dict[str, str] | None = None, labels: list[str] | None = None
    ) -> tuple[Path, int]:
        """Makes a bundle, and replaces lines of its model.json. Returns its path and the number of edited lines."""
        path = self.folder / f"{name}.tiobundle"
        _, said = self.tensorio("init", model, "-o", path)
        print(f"\n{name}:\n  " + said.strip().replace("\n", "\n  "))
        document = path / "model.json"
        text, count = document.read_text(), 0
        for old, new in (edits or {}).items():
            if text.count(old) != 1:
                sys.exit(f"{name}: model.json has {text.count(old)} times {old!r}, expected 1")
            text, count = text.replace(old, new), count + new.count("\n") - old.count("\n") + (old not in new)
            print("  edit: " + " ".join(new.split()))
        document.write_text(text)
        if labels:
            (path / "assets").mkdir(exist_ok=True)
            (path / "assets/labels.txt").write_text("".join(label + "\n" for label in labels))
        if count > MOST_EDITS:
            self.failures.append(f"{name}: {count} lines were edited")
        return path, count

    def compare(
        self, name: str, made: tuple[Path, int], data: Path, expected: dict, names: list[str], kind: str
    ) -> None:
        """Compares the results of all samples, and their metrics.

        `expected` has the truth and the result of Python for each sample, by the identifier of the sample. A result is
        an array of scores of classes, or the error of a reconstruction with the name of the machine.
        """
        bundle, edits = made
        report = json.loads(self.tensorio("evaluate", data, "--model", bundle, "--outputs", "all", "--json")[0])
        difference, order = 0.0, []
        for row in report["results"]:
            key = row["image"]
            if key not in expected:
                sys.exit(f"{name}: {key!r} isn't among the samples {list(expected)[:3]}")
            order.append(key)
            (result,) = row["evaluation"]["inference_results"].values()
            difference = max(difference, self.differ(name, key, result, expected[key], names))
        if len(order) != len(expected):
            self.failures.append(f"{name}: {len(order)} of {len(expected)} samples have results")
        metric = self.metrics(name, report["models"][0]["metrics"], expected, order, names, kind)
        self.rows.append((name, edits, len(order), difference, metric))

    def run_one(self, name: str, bundle: Path, sample: object, expected: tuple, names: list[str]) -> None:
        """Compares what `run` prints for a file, or for an array as JSON, with one result."""
        (result,) = json.loads(self.tensorio("run", bundle, sample, "--json")[0])["outputs"].values()
        self.differ(f"{name}, run", str(sample)[:80], result, expected, names)

    def differ(self, name: str, key: str, result: object, expected: tuple, names: list[str]) -> float:
        if names:
            result = [result[label] for label in names]
        while isinstance(result, dict):  # The value of a reconstruction is in objects with one member each.
            (result,) = result.values()
        theirs = np.asarray(expected[1], np.float64)
        scale = np.maximum(np.abs(theirs), 1)
        difference = float(np.max(np.abs(np.asarray(result, np.float64) - theirs) / scale))
        if not difference <= LIMIT:
            self.failures.append(f"{name}: {key} differs by {difference:.2g}")
        return difference

    def metrics(self, name: str, found: dict, expected: dict, order: list, names: list[str], kind: str) -> float:
        rows = [expected[key] for key in order]
        if kind == "anomaly":
            theirs = metrics.anomaly({"rows": [[row[0] == "anomaly", row[2], float(row[1])] for row in rows]})
        else:
            theirs = metrics.classification(
                {
                    "labels": names,
                    "label_offset": 0,
                    "top_k": 5,
                    "truths": [row[0] for row in rows],
                    "scores": [np.asarray(row[1], np.float64).tolist() for row in rows],
                }
            )
        largest, count = 0.0, 0
        for family in found.values():
            for value in family["values"]:
                other = theirs.get(value["name"])
                if (other is None) != (value.get("value") is None):
                    self.failures.append(f"{name}: {value['name']} is {value.get('value')}, in Python {other}")
                elif other is not None:
                    largest, count = max(largest, abs(value["value"] - other)), count + 1
        if count < 2 or largest > LIMIT:
            self.failures.append(f"{name}: {count} metrics differ by up to {largest:.2g}")
        return largest

    def finish(self) -> int:
        print("\n| Task | Lines edited | Samples | Largest difference of a score | of a metric |")
        print("|---|---|---|---|---|")
        for name, edits, count, score, metric in self.rows:
            print(f"| {name} | {edits} | {count} | {score:.1e} | {metric:.1e} |")
        for failure in self.failures[:20]:
            print(f"error: {failure}", file=sys.stderr)
        return 1 if self.failures else 0


class Model:
    """A model in Python's interpreter."""

    def __init__(self, path: Path) -> None:
        self.interpreter = Interpreter(str(path))
        self.interpreter.allocate_tensors()
        (self.input,) = self.interpreter.get_input_details()
        (self.output,) = self.interpreter.get_output_details()

    def __call__(self, values: np.ndarray) -> np.ndarray:
        """Quantizes values if the model's input is, and returns numbers."""
        values = values.reshape(self.input["shape"])
        if self.input["dtype"] != np.float32:
            scale, zero = self.input["quantization"]
            values = np.clip(np.round(values / np.float32(scale)) + zero, -128, 127)
        return self.run(values.astype(self.input["dtype"]))

    def run(self, tensor: np.ndarray) -> np.ndarray:
        self.interpreter.set_tensor(self.input["index"], tensor.reshape(self.input["shape"]))
        self.interpreter.invoke()
        result = self.interpreter.get_tensor(self.output["index"])
        if self.output["dtype"] != np.float32:
            scale, zero = self.output["quantization"]
            result = (result.astype(np.float32) - zero) * np.float32(scale)
        return result.ravel()


# MARK: - Anomalies


def anomalies(trial: Trial, model: Path, recordings: Path | None) -> None:
    """Recordings by DCASE's names, and MLPerf's sample files of their features."""
    peer = Model(model)
    data = trial.folder / "machines"
    if recordings:
        shutil.copytree(recordings, data)
    else:
        make_machines(data)
    files = trial.folder / "machine-files"
    files.mkdir()
    expected, samples, lines = {}, {}, []
    for path in sorted(data.glob("*.wav")):
        vectors = audio.anomaly_detection({"samples": encoded(path), "pad_mode": "constant"})
        errors = [np.mean(np.square(vector - peer(vector), dtype=np.float64)) for vector in vectors.astype(np.float32)]
        truth, _, machine = path.stem.split("_")[:3]
        expected[path.name] = (truth, np.mean(errors), f"id_{machine}")
        # A frame in 32 bits has 512 bytes, and five of them are a window.
        frames = np.concatenate([vectors[:, :128], vectors[-1, 128:].reshape(4, 128)]).astype("<f4")
        (files / f"{path.stem}.bin").write_bytes(frames.tobytes())
        lines.append(f"{path.stem}.bin,2,{int(truth == 'anomaly')},2560,512\n")
        samples[f"{path.stem}.bin"] = expected[path.name]
    (files / "y_labels.csv").write_text("".join(lines))
    made = trial.bundle(model, "anomalies")
    # One window.
    error = np.mean(np.square(vectors[0] - peer(vectors[0]), dtype=np.float64))
    trial.run_one("anomalies", made[0], json.dumps(vectors[0].tolist()), ("", error), [])
    trial.compare("anomalies, recordings", made, data, expected, [], "anomaly")
    trial.compare("anomalies, sample files", made, files, samples, [], "anomaly")


def make_machines(folder: Path) -> None:
    """Ten seconds each of three machines: hums with noise, and anomalies that rattle or whistle."""
    folder.mkdir()
    time = np.arange(10 * RATE) / RATE
    for machine in (1, 2, 3):
        for number in range(12):
            random = np.random.default_rng(100 * machine + number)
            pitch = 40 * machine * (1 + random.normal() / 200)
            sound = sum(np.sin(2 * np.pi * pitch * k * time + random.uniform(0, 6)) / k for k in range(1, 9)) / 12
            sound += random.normal(size=len(time)) * random.uniform(0.01, 0.04)
            is_anomaly = number % 2 == 1
            if is_anomaly and random.random() < 0.5:
                sound += 0.2 * (np.mod(time, 0.3) < 0.01) * random.normal(size=len(time))
            elif is_anomaly:
                sound += 0.05 * np.sin(2 * np.pi * random.uniform(1500, 6000) * time)
            name = f"{'anomaly' if is_anomaly else 'normal'}_id_{machine:02}_{number:08}.wav"
            soundfile.write(folder / name, np.clip(sound, -1, 1), RATE, subtype="PCM_16")


def encoded(path: Path) -> str:
    """The samples as audio.py reads them."""
    samples, rate = soundfile.read(path, dtype="float32")
    if rate != RATE or samples.ndim != 1:
        sys.exit(f"{path} must have one channel and {RATE} samples in a second")
    return base64.b64encode(samples.tobytes()).decode()


# MARK: - Images


def images(
    trial: Trial,
    model: Path,
    name: str,
    photos: Path,
    side: int,
    names: list[str],
    tensor: Callable[[np.ndarray], np.ndarray],
    edits: dict[str, str] | None = None,
) -> None:
    """Tiles of photos in a folder for each class, and the same as MLPerf's sample files of pixels."""
    peer = Model(model)
    data, files = trial.folder / name, trial.folder / f"{name}-files"
    files.mkdir()
    expected, samples, lines = {}, {}, []
    for number, tile in enumerate(tiles(photos, side)):
        scores = peer.run(tensor(np.asarray(tile)))
        # Most tiles get the class that Python finds, so that the metrics are those of a fair model.
        truth = int(np.argmax(scores)) if number % 4 else number // 4 % len(names)
        path = data / names[truth] / f"{number:03}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        tile.save(path)
        expected[f"{names[truth]}/{path.name}"] = (names[truth], scores)
        (files / f"{number:03}.bin").write_bytes(tile.tobytes())
        lines.append(f"{number:03}.bin,{len(names)},{truth}\n")
        samples[f"{number:03}.bin"] = (names[truth], scores)
    (files / "y_labels.csv").write_text("".join(lines))
    made = trial.bundle(model, name, edits, names if edits else None)
    trial.compare(f"{name}, PNG", made, data, expected, names, "classification")
    trial.compare(f"{name}, sample files", made, files, samples, names, "classification")
    key = next(iter(expected))
    trial.run_one(name, made[0], data / key, expected[key], names)


def tiles(photos: Path, side: int) -> list[Image.Image]:
    """Up to 48 squares of each JPEG file, spread over it."""
    found = []
    for path in sorted(photos.glob("*.jpg")):
        photo = Image.open(path).convert("RGB")
        for top in np.linspace(0, photo.height - side, 6).astype(int):
            for left in np.linspace(0, photo.width - side, 8).astype(int):
                if top >= 0 and left >= 0:
                    found.append(photo.crop((left, top, left + side, top + side)))
    if not found:
        sys.exit(f"{photos} has no JPEG file of {side} x {side} pixels")
    return found


def signed(pixels: np.ndarray) -> np.ndarray:
    """Bytes for a model of signed ones, as MLPerf's and MLTK's programs convert them."""
    return (pixels.astype(np.int16) - 128).astype(np.int8)


# MARK: - Keywords


def keyword_arrays(trial: Trial, model: Path) -> None:
    """Spectrograms as arrays, because the model's front end isn't known."""
    peer = Model(model)
    random = np.random.default_rng(5)
    data = trial.folder / "spectrograms"
    data.mkdir()
    values = np.cumsum(random.normal(size=[64, 50, 10, 1]), axis=1) * 8
    values = np.clip(values + random.normal(size=values.shape) * 40 + 128, 0, 255).astype(np.float32)
    scores = [peer(row) for row in values]
    truths = [int(np.argmax(row)) if index % 4 else index // 4 % 12 for index, row in enumerate(scores)]
    np.save(data / "x_test.npy", values)
    np.save(data / "y_test.npy", np.array(truths))
    made = trial.bundle(model, "keywords")
    report = json.loads(trial.tensorio("evaluate", data / "x_test.npy", "--model", made[0], "--json")[0])
    identifiers = [row["image"] for row in report["results"]]
    expected = {key: (OWN_WORDS[truth], row) for key, truth, row in zip(identifiers, truths, scores)}
    trial.compare("keywords, arrays", made, data / "x_test.npy", expected, OWN_WORDS, "classification")
    trial.run_one("keywords", made[0], json.dumps(values[0].ravel().tolist()), ("", scores[0]), OWN_WORDS)


def keyword_recordings(trial: Trial, model: Path) -> None:
    """Recordings in a folder for each word, for MLPerf's own model, and MLPerf's sample files."""
    peer = Model(model)
    data, files = trial.folder / "words", trial.folder / "word-files"
    files.mkdir()
    expected, samples, lines = {}, {}, []
    for number in range(48):
        random = np.random.default_rng(number)
        time = np.arange(int(RATE * random.uniform(0.7, 1))) / RATE
        pitch = random.uniform(90, 240) * (1 + 0.1 * np.sin(2 * np.pi * random.uniform(1, 4) * time))
        phase = 2 * np.pi * np.cumsum(pitch) / RATE
        formants = random.uniform(300, 3000, size=2)
        harmonics = [(k, sum(np.exp(-(((k * 150 - f) / 300) ** 2)) for f in formants)) for k in range(1, 24)]
        sound = sum(np.sin(k * phase) * loudness for k, loudness in harmonics)
        sound = sound * np.hanning(len(time)) + random.normal(size=len(time)) * 0.01
        sound = np.round(sound / np.abs(sound).max() * random.uniform(0.1, 0.95) * 32767) / 32768
        features = audio.keyword_spotting({"samples": base64.b64encode(sound.astype("<f4").tobytes()).decode()})
        scale, zero = peer.input["quantization"]
        tensor = np.clip(np.round(features / np.float32(scale)) + zero, -128, 127).astype(np.int8)
        scores = peer.run(tensor)
        truth = int(np.argmax(scores)) if number % 4 else number // 4 % 12
        path = data / WORDS[truth] / f"{number:02}.wav"
        path.parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(path, sound, RATE, subtype="PCM_16")
        expected[f"{WORDS[truth]}/{path.name}"] = (WORDS[truth], scores)
        (files / f"{number:02}.bin").write_bytes(tensor.tobytes())
        lines.append(f"{number:02}.bin,12,{truth}\n")
        samples[f"{number:02}.bin"] = (WORDS[truth], scores)
    (files / "y_labels.csv").write_text("".join(lines))
    made = trial.bundle(model, "mlperf-keywords")
    trial.compare("MLPerf's keywords, recordings", made, data, expected, WORDS, "classification")
    key = next(iter(expected))
    trial.run_one("MLPerf's keywords", made[0], data / key, expected[key], WORDS)
    trial.compare("MLPerf's keywords, sample files", made, files, samples, WORDS, "classification")


# MARK: - The models


def unpack(models: Path, name: str, folder: Path) -> Path:
    """Returns the path of the model in one of MLTK's archives."""
    with zipfile.ZipFile(models / f"{name}.mltk.zip") as archive:
        return Path(archive.extract(f"{name}.tflite", folder))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("models", type=Path)
    parser.add_argument("--photos", type=Path, default=ROOT / "Tests/Fixtures/Parity")
    parser.add_argument("--recordings", type=Path)
    parser.add_argument("--keywords", type=Path)
    options = parser.parse_args()
    models, photos = options.models.resolve(), options.photos.resolve()
    with tempfile.TemporaryDirectory(prefix="tensorio-") as folder:
        trial = Trial(str(options.program.resolve()), Path(folder))
        anomalies(trial, unpack(models, "anomaly_detection", trial.folder), options.recordings)
        model = unpack(models, "image_classification", trial.folder)
        images(trial, model, "objects", photos, 32, OBJECTS, signed)
        edits = {'"dequantize": {': '"labels": "labels.txt",\n      "dequantize": {'}
        model = models / "image_classification.tflite"
        images(trial, model, "mlperf-objects", photos, 32, OBJECTS, signed, edits)
        model = unpack(models, "visual_wake_words", trial.folder)
        images(trial, model, "persons", photos, 96, ["person", "non_person"], np.float32)
        keyword_arrays(trial, unpack(models, "keyword_spotting", trial.folder))
        if options.keywords:
            keyword_recordings(trial, options.keywords.resolve())
        return trial.finish()


if __name__ == "__main__":
    sys.exit(main())
