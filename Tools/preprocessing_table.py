#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Compares the tensors of `tensorio parity` with Pillow's, TensorFlow's and OpenCV's.

    preprocessing_table.py --binary .build/release/tensorio [--photos DIR] [--write FILE]

Prints a Markdown table. With --write, it also replaces the table between the markers in FILE.
The exit code is 1 if a row exceeds its bound. This needs requirements-preprocessing.txt.
"""

import argparse
import dataclasses
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from make_image_fixtures import exif, png, texture
from PIL import Image
from preprocessing.reference import KERNELS, TENSORFLOW, bound, library, prepared, upright

START, END = "<!-- table -->", "<!-- /table -->"
HEADINGS = [
    ("Resize", "---"),
    ("Crop and more", "---"),
    ("Compared with", "---"),
    ("Images x sizes", "---"),
    ("Values", "---:"),
    ("Largest difference", "---:"),
    ("Mean difference", "---:"),
    ("Bound", "---:"),
    ("", "---"),
]

# Width and height of the generated images, and of the layers.
PICTURES = [
    *((1, 1), (1, 50), (50, 1), (2, 3), (7, 5), (16, 16), (31, 17), (64, 48), (97, 61)),
    *((100, 75), (130, 91), (200, 133), (224, 224), (225, 225), (256, 256), (299, 299)),
    *((320, 240), (448, 448), (500, 3), (3, 500), (640, 480), (672, 224), (801, 601)),
    *((1024, 768), (1280, 720)),
]
TARGETS = [(224, 224), (96, 96), (299, 160), (33, 57), (112, 320)]
PHOTO_KINDS = {".jpg", ".jpeg", ".png", ".webp", ".bmp"}

PAD = {"mode": "pad", "color": {"r": 255, "g": 128, "b": 3}}
CROPS = {
    "center": "center",
    "center, fraction 0.875": {"mode": "center", "fraction": 0.875},
    "stretch": "stretch",
    "pad": PAD,
}
IMAGENET = {
    "scale": {"r": 1 / (255 * 0.229), "g": 1 / (255 * 0.224), "b": 1 / (255 * 0.225)},
    "bias": {"r": -0.485 / 0.229, "g": -0.456 / 0.224, "b": -0.406 / 0.225},
}


@dataclasses.dataclass
class Row:
    """One line of the table: the images, and the layer's settings besides its shape."""

    crop: str
    settings: dict
    pictures: list[pathlib.Path]
    quantized: bool = True
    bound: float = 0

    @property
    def kernel(self) -> str:
        return self.settings.get("resize", "pillow-bilinear")


@dataclasses.dataclass
class Difference:
    """The differences between our values and the library's."""

    values: int = 0
    largest: float = 0
    total: float = 0
    worst: str = ""

    def add(self, ours: np.ndarray, theirs: np.ndarray, name: str) -> None:
        """Counts one tensor."""
        off = np.abs(ours.astype(np.float64) - theirs)
        # A NaN exceeds every bound, and remains the worst value.
        largest = np.nan_to_num(off.max(), nan=np.inf)
        if largest > self.largest:
            self.largest, self.worst = largest, name
        self.values += off.size
        self.total += off.sum()

    @property
    def mean(self) -> float:
        return self.total / self.values


class Comparison:
    """Runs our command on generated bundles, and the libraries on the same images."""

    def __init__(self, binary: pathlib.Path, folder: pathlib.Path):
        self.binary, self.folder = binary, folder
        self.decoded: tuple[pathlib.Path, Image.Image] | None = None

    def bundle(self, name: str, layer: dict, quantized: bool) -> pathlib.Path:
        """Writes a bundle without a model whose input is one image."""
        folder = self.folder / f"{name}.tiobundle"
        folder.mkdir()
        document = {
            "name": name,
            "details": "Preprocessing alone.",
            "id": name,
            "version": "1",
            "author": "",
            "license": "",
            "placeholder": True,
            "model": {"file": "", "quantized": quantized},
            "inputs": [{"name": "image", "type": "image", **layer}],
            "outputs": [{"name": "none", "type": "array", "shape": [1]}],
        }
        (folder / "model.json").write_text(json.dumps(document, indent=1))
        return folder

    def ours(self, bundle: pathlib.Path, picture: pathlib.Path) -> np.ndarray:
        """Returns the tensor that our command writes."""
        file = self.folder / "tensor.npy"
        file.unlink(missing_ok=True)
        command = [self.binary, "parity", bundle, picture, "--write", file]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}: {result.stderr or result.stdout}")
        return np.load(file)

    def decode(self, picture: pathlib.Path) -> Image.Image:
        """Returns the image as Pillow decodes it, and keeps the last one."""
        if self.decoded is None or self.decoded[0] != picture:
            self.decoded = picture, upright(picture)
        return self.decoded[1]

    def run(self, number: int, row: Row) -> Difference:
        """Compares every image of a row at every size."""
        first = row.settings.get("layout") == "channels-first"
        channels = 1 if row.settings.get("format") == "GRAY" else 3
        bundles = []
        for width, height in TARGETS:
            shape = [channels, height, width] if first else [height, width, channels]
            layer = {"format": "RGB", **row.settings, "shape": shape}
            bundle = self.bundle(f"row-{number}-{width}x{height}", layer, row.quantized)
            bundles.append((layer, bundle))
        difference = Difference()
        for picture in row.pictures:
            for layer, bundle in bundles:
                ours = self.ours(bundle, picture)
                theirs = prepared(self.decode(picture), layer, row.quantized)
                if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
                    sys.exit(
                        f"{picture.name} in {bundle.name}: expected {theirs.dtype} "
                        f"{theirs.shape}, got {ours.dtype} {ours.shape}."
                    )
                difference.add(ours, theirs, f"{picture.name} to {layer['shape']}")
        return difference


def generated(folder: pathlib.Path) -> list[pathlib.Path]:
    """Writes PNGs of many sizes. Every second one consists only of noise."""
    files = []
    for index, (width, height) in enumerate(PICTURES):
        pixels = texture(width, height, 3, index)
        if index % 2:
            noise = np.random.default_rng(index)
            pixels = noise.integers(0, 256, (height, width, 3), dtype=np.uint8)
        files.append(folder / f"{width}x{height}.png")
        Image.fromarray(pixels).save(files[-1])
    return files


def turned(folder: pathlib.Path) -> dict[int, pathlib.Path]:
    """Writes the same JPEG in every orientation."""
    files = {}
    for orientation in range(1, 9):
        files[orientation] = folder / f"orientation-{orientation}.jpg"
        image = Image.fromarray(texture(197, 143))
        image.save(files[orientation], quality=90, exif=exif(orientation))
    return files


def special(folder: pathlib.Path) -> dict[str, pathlib.Path]:
    """Writes a PNG with alpha and a PNG of 16 bits."""
    alpha, wide = folder / "alpha.png", folder / "16-bit.png"
    Image.fromarray(texture(197, 143, 4)).save(alpha)
    noise = np.random.default_rng(1).integers(0, 65536, (143, 197, 3))
    wide.write_bytes(png(noise, 16, 2))
    return {"alpha dropped": alpha, "16-bit PNG": wide}


def all_rows(folder: pathlib.Path, photos: list[pathlib.Path]) -> list[Row]:
    """Returns what is compared, in the table's order."""
    pictures = generated(folder) + photos
    unit = {"normalize": {"standard": "[0,1]"}}
    rows = []
    for kernel in KERNELS:
        for name, crop in CROPS.items():
            settings = {"resize": kernel, "crop": crop}
            if kernel in TENSORFLOW:
                rows.append(Row(name, settings | unit, pictures, False, bound(kernel, False)))
            else:
                rows.append(Row(name, settings, pictures, True, bound(kernel, True)))
    for kernel in TENSORFLOW:
        rows.append(Row("center, to bytes", {"resize": kernel}, pictures, True, 1))
    more = {
        "center, BGR": {"format": "BGR"},
        "center, GRAY": {"format": "GRAY"},
        "pad, GRAY": {"format": "GRAY", "crop": PAD},
        "center, channels first": {"layout": "channels-first"},
    }
    for name, settings in more.items():
        rows.append(Row(name, settings, pictures))
    for name, normalize, limit in (
        ("center, floats", None, 0),
        ("center, 0 to 1", unit["normalize"], 1e-6),
        ("center, -1 to 1", {"standard": "[-1,1]"}, 1e-6),
        ("center, mean and deviation by colour", IMAGENET, 0),
    ):
        settings = {"normalize": normalize} if normalize else {}
        rows.append(Row(name, settings, pictures, False, limit))
    for name, file in special(folder).items():
        rows.append(Row(f"center, {name}", {}, [file]))
    for orientation, file in turned(folder).items():
        rows.append(Row(f"center, EXIF orientation {orientation}", {}, [file]))
    return rows


def number(value: float) -> str:
    """Formats a difference as a whole number if it is one, and otherwise with two digits."""
    return f"{value:.0f}" if value in (0, 1) else f"{value:.2g}"


def line(cells: list[str]) -> str:
    """Returns a row of Markdown."""
    return "| " + " | ".join(cells) + " |"


def kept(row: Row, difference: Difference) -> bool:
    """Returns whether a row is within its bound."""
    return bool(difference.largest <= row.bound)


def described(row: Row, difference: Difference) -> str:
    """Returns a row of the table."""
    verdict = "equal" if difference.largest == 0 else "within" if kept(row, difference) else "ABOVE"
    return line(
        [
            f"`{row.kernel}`",
            row.crop,
            library(row.kernel),
            f"{len(row.pictures)} x {len(TARGETS)}",
            f"{difference.values:,}",
            number(difference.largest),
            number(difference.mean),
            number(row.bound),
            verdict,
        ]
    )


def replace(file: pathlib.Path, table: str) -> None:
    """Replaces the table between the markers of a file."""
    text = file.read_text()
    before, found, rest = text.partition(START)
    _, ended, after = rest.partition(END)
    if not found or not ended:
        sys.exit(f"{file} lacks {START} and {END}.")
    file.write_text(f"{before}{START}\n{table}\n{END}{after}")


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=pathlib.Path, default=".build/release/tensorio")
    parser.add_argument("--photos", type=pathlib.Path, metavar="DIR", help="more pictures")
    parser.add_argument("--write", type=pathlib.Path, metavar="FILE", help="replaces its table")
    parser.add_argument("--only", metavar="TEXT", help="only rows whose first cells contain this")
    arguments = parser.parse_args()
    if arguments.only and arguments.write:
        parser.error("--write needs the whole table, so it does not go with --only.")
    photos = sorted(
        file
        for file in (arguments.photos.iterdir() if arguments.photos else [])
        if file.suffix.lower() in PHOTO_KINDS
    )
    table = [line([h for h, _ in HEADINGS]), "|" + "|".join(a for _, a in HEADINGS) + "|"]
    print("\n".join(table), flush=True)
    failed = False
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        comparison = Comparison(arguments.binary.absolute(), folder)
        for index, row in enumerate(all_rows(folder, photos)):
            if arguments.only and arguments.only not in f"{row.kernel}, {row.crop}":
                continue
            difference = comparison.run(index, row)
            table.append(described(row, difference))
            print(table[-1], flush=True)
            if not kept(row, difference):
                failed = True
                print(f"The worst: {difference.worst}", file=sys.stderr, flush=True)
    if arguments.write:
        replace(arguments.write, "\n".join(table))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
