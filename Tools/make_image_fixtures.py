#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Makes Tests/Fixtures/Images: small images of every kind, and their pixels as Pillow decodes them.

    python Tools/make_image_fixtures.py Tests/Fixtures/Images

This needs Pillow 13 and numpy. `decoding.json` lists the images that must decode, with the offset of their
pixels in `pixels.bin`. `failures.json` lists those that must not decode. `resizing.json` has the crops and
resizes of source images in `pixels.bin`.
"""

import base64
import io
import json
import pathlib
import struct
import sys
import zlib

import numpy as np
from PIL import Image, ImageOps

WIDTH, HEIGHT = 29, 19

# A gray gradient in arithmetic coding, which Pillow reads but does not write.
ARITHMETIC = (
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZG"
    "NywtQFdBRkxOUlNSMj5aYVpQYEpRUk//yQALCAATAB0BAREA/8wABgAQEAX/2gAIAQEAAD8A/wCVuiqGzYaoy5wy"
    "j7xNHCJQQPKnpG/iFQUff8y/NaJ8f8bdlERafi9Tk+90pzaA/9k="
)


def texture(width, height, channels=3, seed=1):
    """Returns smooth colours with noise, which cover every value and compress a little."""
    noise = np.random.default_rng(seed).integers(0, 48, (height, width, channels))
    y, x = np.mgrid[0:height, 0:width]
    waves = [x * 5, y * 9, (x + y) * 4, x * y]
    base = np.stack([w % 208 for w in waves[:channels]], axis=-1)
    return (base + noise).astype(np.uint8)


# PNG. Pillow writes only few of its kinds, so this makes them.


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def packed_rows(values, depth):
    """Returns rows of samples as bytes, each after a filter byte of 0."""
    rows = b""
    for row in values:
        flat = row.ravel()
        if depth == 16:
            data = flat.astype(">u2").tobytes()
        elif depth == 8:
            data = flat.astype(np.uint8).tobytes()
        else:
            bits = "".join(format(int(v), f"0{depth}b") for v in flat)
            bits += "0" * (-len(bits) % 8)
            data = bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8))
        rows += b"\0" + data
    return rows


ADAM7 = [
    (0, 0, 8, 8),
    (4, 0, 8, 8),
    (0, 4, 4, 8),
    (2, 0, 4, 4),
    (0, 2, 2, 4),
    (1, 0, 2, 2),
    (0, 1, 1, 2),
]


def png(values, depth, color, extra=(), interlaced=False, size=None):
    height, width = values.shape[:2]
    if interlaced:
        data = b"".join(
            packed_rows(values[y::dy, x::dx], depth)
            for x, y, dx, dy in ADAM7
            if values[y::dy, x::dx].size
        )
    else:
        data = packed_rows(values, depth)
    width, height = size or (width, height)
    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, int(interlaced))
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + b"".join(chunk(k, d) for k, d in extra)
        + chunk(b"IDAT", zlib.compress(data, 9))
        + chunk(b"IEND", b"")
    )


# BMP


def bmp(rows, bits, width, height, palette=b"", compression=0, header=40, masks=(), colors=0):
    stride = (width * bits + 31) // 32 * 4
    body = b"".join(r.ljust(stride, b"\0") for r in rows)
    if header == 12:
        info = struct.pack("<IHHHH", 12, width, height, 1, bits)
    else:
        info = struct.pack(
            "<IiiHHIIiiII", header, width, height, 1, bits, compression, len(body), 0, 0, colors, 0
        )
        fields = b"".join(struct.pack("<I", m) for m in masks)
        info = info + (fields.ljust(header - 40, b"\0") if header > 40 else fields)
    offset = 14 + len(info) + len(palette)
    return b"BM" + struct.pack("<IHHI", offset + len(body), 0, 0, offset) + info + palette + body


def bgr_rows(pixels):
    return [row[:, ::-1].tobytes() for row in pixels]


def segment(marker, data):
    """Returns a JPEG's marker with its data."""
    return bytes([0xFF, marker]) + struct.pack(">H", len(data) + 2) + data


def jpeg_of_large_scans():
    """Returns a bomb: 3000 x 3000 gray pixels in 568 valid scans of a few bytes each."""
    side, blocks = 3000, 375 * 375

    def scan(first, last, low, data):
        return segment(0xDA, bytes([1, 1, 0, first, last, low])) + data.replace(
            b"\xff", b"\xff\0"
        )

    # A run of 16384 empty blocks: the code 0 of the symbol E0, and 14 bits more.
    runs = "".join("0" + format(0, "014b") for _ in range(blocks // 16384 + 1))
    runs = int(runs.ljust(-(-len(runs) // 8) * 8, "0"), 2).to_bytes(-(-len(runs) // 8), "big")
    scans = [scan(0, 0, 0, bytes(blocks // 8 + 1))]
    scans += [scan(k, k, 9, runs) for k in range(1, 64)]
    scans += [
        scan(k, k, (low + 1) << 4 | low, runs) for low in range(8, 0, -1) for k in range(1, 64)
    ]
    return (
        b"\xff\xd8"
        + segment(0xDB, bytes([0] + [1] * 64))
        + segment(0xC2, struct.pack(">BHHBBBB", 8, side, side, 1, 1, 0x11, 0))
        + segment(0xC4, bytes([0x00, 1] + [0] * 15 + [0x00]))
        + segment(0xC4, bytes([0x10, 1] + [0] * 15 + [0xE0]))
        + b"".join(scans)
        + b"\xff\xd9"
    )


def jpeg_of_sampling(width, height, sampling, seed):
    """Returns a JPEG with random waves in every block, and sampling factors that Pillow does not write."""
    random = np.random.default_rng(seed)
    most_h, most_v = max(h for h, _ in sampling), max(v for _, v in sampling)
    # Symbols have codes of 8 bits, which are their indexes in the table.
    dc, ac = list(range(12)), [0x00] + [size for size in range(1, 8)]
    bits = []

    def number(value):
        size = int(abs(value)).bit_length()
        return size, format(value if value > 0 else value + (1 << size) - 1, f"0{size}b")[:size]

    before = [0] * len(sampling)
    for _ in range(-(-width // (8 * most_h)) * -(-height // (8 * most_v))):
        for component, (h, v) in enumerate(sampling):
            for _ in range(h * v):
                level = int(random.integers(-60, 60))
                size, text = number(level - before[component])
                before[component] = level
                bits.append(format(dc.index(size), "08b") + text)
                for _ in range(3):
                    value = int(random.choice([-1, 1]) * random.integers(1, 30))
                    size, text = number(value)
                    bits.append(format(ac.index(size), "08b") + text)
                bits.append(format(ac.index(0), "08b"))
    text = "".join(bits)
    text += "1" * (-len(text) % 8)
    data = int(text, 2).to_bytes(len(text) // 8, "big").replace(b"\xff", b"\xff\0")
    frame = struct.pack(">BHHB", 8, height, width, len(sampling))
    scan = bytes([len(sampling)])
    for component, (h, v) in enumerate(sampling):
        frame += bytes([component + 1, h << 4 | v, 0])
        scan += bytes([component + 1, 0])
    lengths = [0] * 7
    return (
        b"\xff\xd8"
        + segment(0xDB, bytes([0] + [8] * 64))
        + segment(0xC0, frame)
        + segment(0xC4, bytes([0x00] + lengths + [len(dc)] + [0] * 8 + dc))
        + segment(0xC4, bytes([0x10] + lengths + [len(ac)] + [0] * 8 + ac))
        + segment(0xDA, scan + bytes([0, 63, 0]))
        + data
        + b"\xff\xd9"
    )


def jpeg_of_many_scans():
    """Returns one gray block in 568 valid scans, with a coefficient's bit each: a bomb if it is large."""

    def scan(first, last, high, low):
        # One bit, the code of symbol 0: no difference, or the block's end.
        return segment(0xDA, bytes([1, 1, 0, first, last, high << 4 | low])) + b"\x7f"

    def huffman(kind):
        return segment(0xC4, bytes([kind, 1] + [0] * 15 + [0]))

    scans = [scan(0, 0, 0, 9)] + [scan(k, k, 0, 9) for k in range(1, 64)]
    scans += [scan(k, k, low + 1, low) for low in range(8, 0, -1) for k in range(1, 64)]
    return (
        b"\xff\xd8"
        + segment(0xDB, bytes([0] + [1] * 64))
        + segment(0xC2, struct.pack(">BHHBBBB", 8, 8, 8, 1, 1, 0x11, 0))
        + huffman(0x00)
        + huffman(0x10)
        + b"".join(scans)
        + b"\xff\xd9"
    )


def exif(orientation):
    data = Image.Exif()
    data[0x0112] = orientation
    return data.tobytes()


def saved(image, kind, **options):
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def cropped(image, width, height):
    """Returns the largest part in the middle with the target's aspect ratio, resized."""
    w, h = image.size
    if (w, h) == (width, height):
        return image
    cut_w, cut_h = w, h
    if w * height > h * width:
        cut_w = max(1, h * width // height)
    else:
        cut_h = max(1, w * height // width)
    x, y = (w - cut_w) // 2, (h - cut_h) // 2
    part = image.crop((x, y, x + cut_w, y + cut_h))
    return part.resize((width, height), Image.Resampling.BILINEAR)


class Fixtures:
    def __init__(self, folder):
        self.folder = folder
        self.pixels = b""
        self.decoding, self.failures, self.resizing = [], [], []

    def keep(self, data):
        offset = len(self.pixels)
        self.pixels += data
        return offset

    def add(self, name, data, tolerance=0, expected=None):
        """Adds an image that must decode to Pillow's pixels, or to `expected`."""
        (self.folder / name).write_bytes(data)
        if expected is None:
            with Image.open(io.BytesIO(data)) as image:
                upright = ImageOps.exif_transpose(image)
                transparent = image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info
                expected = np.asarray(upright.convert("RGBA" if transparent else "RGB"))
        height, width, channels = expected.shape
        self.decoding.append(
            {
                "file": name,
                "width": width,
                "height": height,
                "channels": channels,
                "tolerance": tolerance,
                "offset": self.keep(expected.tobytes()),
            }
        )

    def fail(self, name, data, code, words):
        (self.folder / name).write_bytes(data)
        self.failures.append({"file": name, "code": code, "words": words})

    def write(self):
        (self.folder / "pixels.bin").write_bytes(self.pixels)
        for name in ("decoding", "failures", "resizing"):
            text = json.dumps(getattr(self, name), indent=1) + "\n"
            (self.folder / f"{name}.json").write_text(text)


def add_jpegs(out, rgb):
    image = Image.fromarray(rgb)
    out.add("baseline.jpg", saved(image, "JPEG", quality=90), 1)
    out.add("progressive.jpg", saved(image, "JPEG", quality=90, progressive=True), 1)
    out.add("subsampled-444.jpg", saved(image, "JPEG", quality=80, subsampling=0), 1)
    out.add("subsampled-422.jpg", saved(image, "JPEG", quality=80, subsampling=1), 1)
    out.add("restarts.jpg", saved(image, "JPEG", quality=80, restart_marker_blocks=1), 1)
    out.add("gray.jpg", saved(image.convert("L"), "JPEG", quality=90), 1)
    cmyk = Image.fromarray(texture(WIDTH, HEIGHT, 4, 2), "CMYK")
    out.add("cmyk.jpg", saved(cmyk, "JPEG", quality=90), 1)
    out.add("one-pixel.jpg", saved(image.crop((0, 0, 1, 1)), "JPEG"), 1)
    for orientation in range(1, 9):
        data = saved(image, "JPEG", quality=75, exif=exif(orientation))
        out.add(f"orientation-{orientation}.jpg", data, 1)
    garbage = b"Exif\0\0MM\0*\xff\xff\xff\xf0\xff\xff"
    out.add("garbage-exif.jpg", saved(image, "JPEG", exif=garbage), 1)

    # Directories that point to themselves, wrong types, and more entries than there are bytes.
    entry = b"\x01\x12\0\x03\0\0\0\x01\0\x06\0\0"
    for name, tiff in {
        "exif-cycle": b"\0\0\0\x08\0\x01" + entry[:8] + b"\0\x01\0\0" + b"\0\0\0\x08",
        "exif-text": b"\0\0\0\x08\0\x01\x01\x12\0\x02\0\0\0\x02\x36\0\0\0\0\0\0\0",
        "exif-long": b"\0\0\0\x08\0\x01\x01\x12\0\x04\0\0\0\x01\0\0\0\x06\0\0\0\0",
    }.items():
        out.add(f"{name}.jpg", saved(image, "JPEG", exif=b"Exif\0\0MM\0*" + tiff), 1)
    endless = b"Exif\0\0MM\0*\0\0\0\x08\xff\xff" + b"\x01\x0f" + entry[2:]
    pixels = np.asarray(Image.open(io.BytesIO(saved(image, "JPEG"))).convert("RGB"))
    out.add("exif-endless.jpg", saved(image, "JPEG", exif=endless), 1, expected=pixels)
    whole = saved(cmyk, "JPEG", quality=90)
    adobe = whole.index(b"Adobe") + 11
    out.add("ycck.jpg", whole[:adobe] + b"\2" + whole[adobe + 1 :], 1)
    out.add("arithmetic.jpg", base64.b64decode(ARITHMETIC), 1)
    smooth = np.linspace(0, 255, 30000).astype(np.uint8)
    line = Image.fromarray(np.stack([smooth, smooth[::-1], smooth], axis=-1)[None])
    out.add("30000x1.jpg", saved(line, "JPEG", quality=50), 1)
    # Large enough that rows and columns are left out of the decoding.
    y, x = np.mgrid[0:180, 0:90]
    waves = np.stack([x * 3 % 256, (x + y) % 256, y * 2 % 256], axis=-1).astype(np.uint8)
    large = Image.fromarray(waves)
    for name, options in {
        "420": {},
        "422": {"subsampling": 1},
        "444": {"subsampling": 0},
        "progressive": {"progressive": True},
        "restarts": {"restart_marker_blocks": 7},
    }.items():
        out.add(f"large-{name}.jpg", saved(large, "JPEG", quality=60, **options), 1)
    # A restart marker after each row of MCUs, as phones write. Rows above a part are not read.
    y, x = np.mgrid[0:333, 0:34]
    tall = np.stack([x * 7 % 256, (x + y) % 256, y * 3 % 256], axis=-1).astype(np.uint8)
    for name, subsampling in {"420": 2, "444": 0}.items():
        data = saved(
            Image.fromarray(tall), "JPEG", quality=60, restart_marker_rows=1,
            subsampling=subsampling,
        )
        out.add(f"tall-restarts-{name}.jpg", data, 1)
    out.add("large-gray.jpg", saved(large.convert("L"), "JPEG", quality=60), 1)
    large_cmyk = Image.fromarray(np.concatenate([waves, waves[:, :, :1] | 128], axis=-1), "CMYK")
    out.add("large-cmyk.jpg", saved(large_cmyk, "JPEG", quality=60), 1)
    for name, factors in {"440": (1, 2), "411": (4, 1), "410": (4, 2)}.items():
        data = jpeg_of_sampling(101, 175, [factors, (1, 1), (1, 1)], 5)
        out.add(f"large-{name}.jpg", data, 2)

    whole = saved(image, "JPEG", quality=90)
    size = whole.index(b"\xff\xc0") + 4
    out.fail("12-bit.jpg", whole[:size] + b"\x0c" + whole[size + 1 :], "unsupportedImage", "12")
    out.fail("lossless.jpg", whole.replace(b"\xff\xc0", b"\xff\xc3"), "unsupportedImage", "SOF")
    for name, height, words in [
        ("too-high", 600, "premature end"),
        ("no-height", 0, "Empty"),
        ("short-for-its-size", 60000, "too short"),
    ]:
        sized = whole[: size + 1] + struct.pack(">H", height) + whole[size + 3 :]
        if height == 60000:
            sized = whole[: size + 1] + struct.pack(">HH", 9000, 9000) + whole[size + 5 :]
        out.fail(f"{name}.jpg", sized, "invalidImage", words)
    out.fail("large-many-scans.jpg", jpeg_of_large_scans(), "invalidImage", "111 scans")
    out.fail("truncated.jpg", whole[: len(whole) * 2 // 3], "invalidImage", "Premature end")
    whole = saved(image, "JPEG", quality=90, progressive=True)
    out.fail("truncated-progressive.jpg", whole[: len(whole) // 2], "invalidImage", "Premature end")
    start = whole.index(b"\xff\xda")
    out.fail("no-picture.jpg", whole[:start], "invalidImage", "damaged")
    size = whole.index(b"\xff\xc2") + 5
    huge = whole[:size] + struct.pack(">HH", 65000, 65000) + whole[size + 4 :]
    out.fail("many-scans.jpg", jpeg_of_many_scans(), "invalidImage", "500 scans")
    out.fail("huge.jpg", huge, "imageTooLarge", "65000 x 65000")


def add_pngs(out, rgb):
    gray = rgb[:, :, 0]
    rgba = np.concatenate([rgb, texture(WIDTH, HEIGHT, 1, 3)], axis=-1)
    wide = rgb.astype(np.uint16) * 257 - (rgb % 3)
    palette = texture(256, 1, 3, 4).tobytes()
    colors = (b"PLTE", palette)
    for depth in (1, 2, 4, 8):
        indices = gray >> (8 - depth)
        out.add(f"gray-{depth}.png", png(indices, depth, 0))
        table = [(b"PLTE", palette[: 3 << depth])]
        out.add(f"palette-{depth}.png", png(indices, depth, 3, table))
    out.add("palette-alpha.png", png(gray, 8, 3, [colors, (b"tRNS", bytes(range(0, 200)))]))
    # Pillow clips 16-bit gray at 255, so nearly everything becomes white. We take the high byte.
    high = np.repeat((wide[:, :, :1] >> 8).astype(np.uint8), 3, axis=-1)
    out.add("gray-16.png", png(wide[:, :, 0], 16, 0), expected=high)
    out.add("gray-key.png", png(gray, 8, 0, [(b"tRNS", struct.pack(">H", int(gray[3, 3])))]))
    out.add("gray-alpha-8.png", png(rgba[:, :, 2:], 8, 4))
    out.add("gray-alpha-16.png", png(rgba[:, :, 2:].astype(np.uint16) * 257, 16, 4))
    out.add("rgb-8.png", png(rgb, 8, 2))
    out.add("rgb-16.png", png(wide, 16, 2))
    key = struct.pack(">HHH", *map(int, rgb[3, 3]))
    out.add("rgb-key.png", png(rgb, 8, 2, [(b"tRNS", key)]))
    out.add("rgba-8.png", png(rgba, 8, 6))
    out.add("rgba-16.png", png(rgba.astype(np.uint16) * 257, 16, 6))
    out.add("gamma.png", png(rgb, 8, 2, [(b"gAMA", struct.pack(">I", 100000))]))
    out.add("interlaced.png", png(rgb, 8, 2, interlaced=True))
    out.add("interlaced-palette-2.png", png(gray >> 6, 2, 3, [(b"PLTE", palette[:12])], True))
    out.add("one-pixel.png", png(rgb[:1, :1], 8, 2))
    out.add("interlaced-alpha-16.png", png(rgba.astype(np.uint16) * 257, 16, 6, interlaced=True))
    smooth = np.linspace(0, 255, 30000).astype(np.uint8)
    out.add("1x30000.png", png(smooth[:, None], 8, 0))
    # Bombs: 20 MB each when inflated, without any pixels.
    zeros = zlib.compress(bytes(20_000_000), 9)
    texts = [(b"zTXt", b"Comment\0\0" + zeros), (b"iTXt", b"Title\0\1\0\0\0" + zeros)]
    out.add("text-bomb.png", png(rgb, 8, 2, texts), expected=rgb)
    out.add("profile-bomb.png", png(rgb, 8, 2, [(b"iCCP", b"p\0\0" + zeros)]), expected=rgb)
    tiff = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"
    out.add("orientation-6.png", png(rgb, 8, 2, [(b"eXIf", tiff)]))

    whole = png(rgb, 8, 2)
    out.fail("truncated.png", whole[: len(whole) // 2], "invalidImage", "ends too early")
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 1
    out.fail("wrong-checksum.png", bytes(flipped), "invalidImage", "damaged")
    out.fail("huge.png", png(rgb, 8, 2, size=(60000, 60000)), "imageTooLarge", "60000 x 60000")
    out.fail(
        "huger.png", png(rgb, 8, 2, size=(2**31 - 1, 2**31 - 1)), "imageTooLarge", "2147483647"
    )
    out.fail("too-short.png", png(rgb, 8, 2, size=(WIDTH, HEIGHT + 1)), "invalidImage", "damaged")
    tiny = png(rgb, 8, 2, size=(9999, 9999))
    out.fail("short-for-its-size.png", tiny, "invalidImage", "damaged")
    out.fail("no-size.png", png(rgb, 8, 2, size=(0, 5)), "invalidImage", "damaged")


def add_webps(out, rgb):
    image = Image.fromarray(rgb)
    rgba = Image.fromarray(np.concatenate([rgb, texture(WIDTH, HEIGHT, 1, 3)], axis=-1))
    out.add("lossless.webp", saved(image, "WEBP", lossless=True))
    out.add("lossless-alpha.webp", saved(rgba, "WEBP", lossless=True, exact=True))
    out.add("lossy.webp", saved(image, "WEBP", quality=80), 1)
    out.add("lossy-alpha.webp", saved(rgba, "WEBP", quality=80), 1)
    out.add("orientation-8.webp", saved(image, "WEBP", lossless=True, exif=exif(8)))
    frames = [Image.fromarray(texture(WIDTH, HEIGHT, 3, s)) for s in (7, 8)]
    data = saved(frames[0], "WEBP", save_all=True, append_images=frames[1:], lossless=True)
    out.fail("animated.webp", data, "unsupportedImage", "animated")
    whole = saved(image, "WEBP", lossless=True)
    start = whole.index(b"VP8L") + 9
    largest = whole[:start] + b"\xff\xff\xff\x0f" + whole[start + 4 :]
    out.fail("huge.webp", largest, "imageTooLarge", "16384 x 16384")
    canvas = b"VP8X" + struct.pack("<II", 10, 0) + b"\xff\xff\xff\xff\xff\0"
    huge = b"RIFF" + struct.pack("<I", len(whole) + 10) + b"WEBP" + canvas + whole[12:]
    out.fail("huge-canvas.webp", huge, "invalidImage", "damaged")
    out.fail("truncated.webp", whole[: len(whole) // 2], "invalidImage", "damaged")


def add_bmps(out, rgb):
    gray = rgb[:, :, 0]
    up = rgb[::-1]
    table = texture(256, 1, 3, 4).reshape(256, 3)
    entries = b"".join(bytes(c[::-1]) + b"\0" for c in table)
    out.add("true-color.bmp", bmp(bgr_rows(up), 24, WIDTH, HEIGHT))
    out.add("top-down.bmp", bmp(bgr_rows(rgb), 24, WIDTH, -HEIGHT))
    old = bmp(bgr_rows(up), 24, WIDTH, HEIGHT, header=12)
    out.add("os2.bmp", old)
    rows = [np.insert(r[:, ::-1], 3, 200, axis=1).tobytes() for r in up]
    out.add("bgrx-32.bmp", bmp(rows, 32, WIDTH, HEIGHT))
    masks = (0xFF0000, 0xFF00, 0xFF, 0xFF000000)
    out.add("bgra-32-v5.bmp", bmp(rows, 32, WIDTH, HEIGHT, compression=3, header=124, masks=masks))
    rows = [r[:, 0].tobytes() for r in up]
    out.add("palette-8.bmp", bmp(rows, 8, WIDTH, HEIGHT, entries))
    rows = [bytes(v % 16 for v in r[:, 0]) for r in up]
    out.add("palette-8-short.bmp", bmp(rows, 8, WIDTH, HEIGHT, entries[:64], colors=16))
    for depth in (1, 4):
        packed = [packed_rows((r[None] >> (8 - depth)), depth)[1:] for r in gray[::-1]]
        out.add(f"palette-{depth}.bmp", bmp(packed, depth, WIDTH, HEIGHT, entries[: 4 << depth]))
    red, green, blue = (up[:, :, c].astype(np.uint16) for c in range(3))
    five = (red >> 3 << 10) | (green >> 3 << 5) | (blue >> 3)
    out.add("rgb-555.bmp", bmp([r.tobytes() for r in five], 16, WIDTH, HEIGHT))
    six = (red >> 3 << 11) | (green >> 2 << 5) | (blue >> 3)
    masks = (0xF800, 0x07E0, 0x1F)
    data = bmp([r.tobytes() for r in six], 16, WIDTH, HEIGHT, compression=3, masks=masks)
    out.add("rgb-565.bmp", data)

    whole = bmp(bgr_rows(up), 24, WIDTH, HEIGHT)
    out.fail("truncated.bmp", whole[:-200], "invalidImage", "bytes")
    out.fail(
        "rle8.bmp", bmp(rows, 8, WIDTH, HEIGHT, entries, compression=1), "unsupportedImage", "RLE8"
    )
    out.fail("huge.bmp", bmp([], 24, 60000, 60000), "imageTooLarge", "60000 x 60000")
    out.fail("lowest-height.bmp", bmp([], 24, 60000, -(2**31)), "imageTooLarge", "2147483648")
    out.fail("no-size.bmp", bmp([], 24, 0, 7), "invalidImage", "0 x 7")


def add_others(out, rgb):
    out.fail("picture.gif", saved(Image.fromarray(rgb), "GIF"), "unsupportedImage", "GIF")
    out.fail("text.png", b"not a picture at all\n", "unsupportedImage", "unknown format")
    out.fail("empty.jpg", b"", "unsupportedImage", "empty")


RESIZES = [
    # Source and target: down, up, odd, sides of one pixel, other aspect ratios, one pass only, no pass.
    ((130, 91), (10, 7)),
    ((97, 61), (32, 32)),
    ((97, 61), (33, 17)),
    ((97, 61), (60, 61)),
    ((97, 61), (97, 30)),
    ((97, 61), (96, 60)),
    ((97, 61), (20, 50)),
    ((97, 61), (7, 60)),
    ((97, 61), (97, 61)),
    ((97, 61), (1, 1)),
    ((13, 11), (39, 33)),
    ((13, 11), (40, 20)),
    ((13, 11), (14, 40)),
    ((1, 40), (9, 9)),
    ((40, 1), (9, 9)),
    ((1, 1), (30, 30)),
    ((2, 900), (4, 50)),
    ((900, 2), (50, 4)),
]


def add_resizes(out):
    sources = {}
    for (width, height), (w, h) in RESIZES:
        source = texture(width, height, 3, width)
        if (width, height) not in sources:
            sources[width, height] = out.keep(source.tobytes())
        result = np.asarray(cropped(Image.fromarray(source), w, h))
        out.resizing.append(
            {
                "sourceWidth": width,
                "sourceHeight": height,
                "source": sources[width, height],
                "width": w,
                "height": h,
                "result": out.keep(result.tobytes()),
            }
        )


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    out = Fixtures(folder)
    rgb = texture(WIDTH, HEIGHT)
    add_jpegs(out, rgb)
    add_pngs(out, rgb)
    add_webps(out, rgb)
    add_bmps(out, rgb)
    add_others(out, rgb)
    add_resizes(out)
    out.write()


if __name__ == "__main__":
    main()
