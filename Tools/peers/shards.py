# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Tar archives of Python's tarfile and of webdataset, for tests.

    shards.py members FOLDER        archives in tarfile's three formats with unusual members
    shards.py photos FOLDER PHOTO...    archives of photos: one of each format, and one of webdataset

`members` prints what tarfile reads from each archive: {NAME: [[NAME, BASE64], ...]}, without what isn't a file.
`photos` adds texts and classes beside the photos, as datasets have them.
"""

import base64
import io
import json
import sys
import tarfile
from pathlib import Path

FORMATS = {"ustar": tarfile.USTAR_FORMAT, "gnu": tarfile.GNU_FORMAT, "pax": tarfile.PAX_FORMAT}


def add(archive: tarfile.TarFile, name: str, data: bytes = b"", kind: bytes = tarfile.REGTYPE, **fields) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.type, entry.mtime = len(data), kind, 1.5 if archive.format == tarfile.PAX_FORMAT else 1
    for field, value in fields.items():
        setattr(entry, field, value)
    archive.addfile(entry, io.BytesIO(data) if data else None)


def make_members(folder: Path) -> dict[str, list]:
    found = {}
    for name, form in FORMATS.items():
        path = folder / f"{name}.tar"
        with tarfile.open(path, "w", format=form) as archive:
            add(archive, "folder", kind=tarfile.DIRTYPE)
            add(archive, "folder/a.jpg", b"a" * 511)
            add(archive, "./b.jpg", b"b" * 512)
            add(archive, "empty.jpg")
            add(archive, "link.jpg", kind=tarfile.SYMTYPE, linkname="b.jpg")
            add(archive, "hard.jpg", kind=tarfile.LNKTYPE, linkname="folder/a.jpg")
            add(archive, "pipe.jpg", kind=tarfile.FIFOTYPE)
            add(archive, "p" * 90 + "/" + "q" * 90 + ".jpg", b"c" * 513)
            add(archive, "ü" * 30 + ".jpg", b"d")
            if form != tarfile.USTAR_FORMAT:
                add(archive, "/".join(["long" * 25] * 4) + ".jpg", b"e" * 1025)
                add(archive, "far.jpg", kind=tarfile.SYMTYPE, linkname="t" * 300)
                add(archive, "after.jpg", b"f")
            if form == tarfile.PAX_FORMAT:
                add(archive, "plain.jpg", b"g" * 3, pax_headers={"path": "ünïcode/名前.jpg", "comment": "a=b\nc"})
        with tarfile.open(path) as archive:
            found[name] = [[entry.name.removeprefix("./"), read(archive, entry)]
                           for entry in archive if entry.isreg()]
    return found


def read(archive: tarfile.TarFile, entry: tarfile.TarInfo) -> str:
    return base64.b64encode(archive.extractfile(entry).read()).decode()


def make_photos(folder: Path, photos: list[Path]) -> None:
    import webdataset

    for name, form in FORMATS.items():
        with tarfile.open(folder / f"{name}.tar", "w", format=form) as archive:
            for photo in photos:
                archive.add(photo, photo.name)
                add(archive, photo.stem + ".cls", b"7")
    with webdataset.TarWriter(str(folder / "webdataset.tar")) as writer:
        for photo in photos:
            writer.write({"__key__": photo.stem, "png": photo.read_bytes(), "cls": 7, "json": {"a": 1}})


def main() -> None:
    folder = Path(sys.argv[2])
    if sys.argv[1] == "members":
        print(json.dumps(make_members(folder)))
    else:
        make_photos(folder, [Path(path) for path in sys.argv[3:]])


if __name__ == "__main__":
    main()
