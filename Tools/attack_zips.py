# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Writes a zip file that is meant to do harm, or one that is only unusual.

Usage: attack_zips.py KIND ZIPFILE BUNDLE
"""

import io
import os
import random
import struct
import sys
import unicodedata
import warnings
import zipfile

kind, path, bundle = sys.argv[1:4]
root = "digits.tiobundle/"
warnings.simplefilter("ignore")


class Unseekable(io.RawIOBase):
    """A stream without a seek, so that the sizes in a zip file come after the data."""

    def __init__(self, file):
        self.file = file

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)


def entry(name, mode=0o100644, method=zipfile.ZIP_DEFLATED, system=3):
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    info.compress_type = method
    info.create_system = system
    return info


def add_bundle(file, name=root, method=zipfile.ZIP_DEFLATED, **fields):
    for folder, _, files in sorted(os.walk(bundle)):
        for one in sorted(files):
            whole = os.path.join(folder, one)
            with open(whole, "rb") as source:
                relative = os.path.relpath(whole, bundle)
                file.writestr(entry(name + relative, method=method, **fields), source.read())


def write(extra=(), with_bundle=True, **fields):
    """Writes the bundle and more entries, each (info or name, content)."""
    with zipfile.ZipFile(path, "w") as file:
        if with_bundle:
            add_bundle(file, **fields)
        for info, content in extra:
            file.writestr(info if isinstance(info, zipfile.ZipInfo) else entry(info), content)


def patch(change):
    with open(path, "rb") as file:
        data = bytearray(file.read())
    data = change(data) or data
    with open(path, "wb") as file:
        file.write(data)


def central(data, name):
    """Returns the offset of an entry in the directory."""
    place = data.rfind(b"PK\1\2", 0, data.rfind(name.encode()))
    assert data[place + 46:].startswith(name.encode())
    return place


def put(data, place, form, value):
    struct.pack_into(form, data, place, value)


def set_size(name, value):
    patch(lambda data: put(data, central(data, name) + 24, "<I", value))


NAMES = {
    "absolute": "/tmp/evil.txt",
    "parent": "../evil.txt",
    "parent-within": root + "../../evil.txt",
    "parent-at-end": root + "..",
    "dot": root + "./evil.txt",
    "empty-part": root + "/evil.txt",
    "backslash": root + "..\\..\\evil.txt",
    "drive": "C:\\evil.txt",
    "newline": root + "evil\n.txt",
    "escape": root + "evil\x1b[2J.txt",
    "delete": root + "evil\x7f.txt",
    "next-line": root + "evil\x85.txt",
    "long-name": root + "n" * 256,
    "long-name-in-bytes": root + "é" * 128,
    "too-deep": root + "d/" * 15 + "f",
    "duplicate": root + "model.json",
    "duplicate-case": root + "MODEL.json",
    "duplicate-folder-case": root + "ASSETS/more.txt",
    "file-as-folder": root + "model.json/more.txt",
    "macos-parent": "__MACOSX/../evil.txt",
}
MODES = {"link": 0o120777, "pipe": 0o010644, "device": 0o020644, "socket": 0o140644,
         "folder-as-file": 0o040755}

if kind in NAMES:
    write([(NAMES[kind], "evil")])
elif kind in MODES:
    write([(entry(root + "odd", MODES[kind]), "/etc/passwd")])
elif kind == "link-of-dos":
    write([(entry(root + "odd", MODES["link"], system=0), "/etc/passwd")])
elif kind == "link-then-file":
    write([(entry(root + "out", MODES["link"]), "/tmp"), (root + "out/evil.txt", "evil")])
elif kind == "folder-with-content":
    write([(entry(root + "odd/", 0o040755), "content")])
elif kind == "file-with-folder-name":
    write([(entry(root + "odd/", 0o100644), "")])
elif kind == "duplicate-accent":
    write([(root + unicodedata.normalize(form, "é.txt"), form) for form in ("NFC", "NFD")])
elif kind == "folder-twice":
    write([(entry(root + "odd/", 0o040755), "")] * 2)
elif kind == "nul":
    write([(root + "evilX.txt", "evil")])
    patch(lambda data: data.replace(b"evilX", b"evil\0"))
elif kind == "latin":
    write([(root + "evilX.txt", "evil")])
    patch(lambda data: data.replace(b"evilX", b"evil\xe9"))
elif kind == "encrypted":
    write([(root + "secret", "evil")])

    def encrypt(data):
        name = (root + "secret").encode()
        put(data, central(data, name.decode()) + 8, "<H", 1)
        put(data, data.find(b"PK\3\4", data.find(name) - 30) + 6, "<H", 1)

    patch(encrypt)
elif kind in ("bzip2", "lzma"):
    write(method={"bzip2": zipfile.ZIP_BZIP2, "lzma": zipfile.ZIP_LZMA}[kind])
elif kind == "entries":
    write([(root + "%d" % number, "") for number in range(10_001)])
elif kind == "ratio":
    write([(root + "zeros", bytes(11 << 20))])
elif kind == "size-of-2-gib":
    write([(root + "zeros", bytes(1000))])
    set_size(root + "zeros", 1 << 31)
elif kind == "size-of-2-eib":
    # A directory may give sizes in an extra field.
    info = entry(root + "zeros")
    info.extra = struct.pack("<HHQ", 0xCAFE, 8, 1 << 61)
    write([(info, bytes(1000))])
    set_size(root + "zeros", 0xFFFFFFFF)
    patch(lambda data: data.replace(struct.pack("<HH", 0xCAFE, 8), struct.pack("<HH", 1, 8)))
elif kind == "says-less":
    write([(root + "zeros", bytes(50 << 20))])
    set_size(root + "zeros", 1000)
elif kind == "says-less-in-both":
    write([(root + "zeros", bytes(50 << 20))])
    set_size(root + "zeros", 1000)

    def in_local(data):
        place = data.find((root + "zeros").encode()) - 30
        put(data, place + 22, "<I", 1000)

    patch(in_local)
elif kind == "says-more":
    write([(root + "zeros", bytes(1000))])
    set_size(root + "zeros", 1001)
elif kind == "packed-says-more":
    write([(root + "zeros", bytes(1000))])
    patch(lambda data: put(data, central(data, root + "zeros") + 20, "<I", 1 << 30))
elif kind == "overlap":
    # Many names for the same bytes.
    write([(root + "n000", random.Random(1).randbytes(9 << 10))], method=zipfile.ZIP_STORED)

    def share(data):
        place = central(data, root + "n000")
        end = data.rfind(b"PK\5\6")
        one = bytes(data[place:end])
        more = b"".join(one.replace(b"n000", b"n%03d" % number) for number in range(1, 900))
        record = data[end:]
        count = struct.unpack_from("<H", record, 10)[0] + 899
        put(record, 8, "<H", count)
        put(record, 10, "<H", count)
        put(record, 12, "<I", struct.unpack_from("<I", record, 12)[0] + len(more))
        return data[:end] + more + record

    patch(share)
elif kind == "checksum":
    write([(entry(root + "text", method=zipfile.ZIP_STORED), "the text of a file")])
    patch(lambda data: data.replace(b"the text of", b"the test of"))
elif kind == "cut":
    write()
    patch(lambda data: data[:len(data) // 2])
elif kind == "cut-at-end":
    write()
    patch(lambda data: data[:-1])
elif kind == "cut-at-start":
    write()
    patch(lambda data: data[100:])
elif kind == "count-more":
    write()
    patch(lambda data: (put(data, len(data) - 14, "<H", 9), put(data, len(data) - 12, "<H", 9))
          and None)
elif kind == "count-less":
    write()
    patch(lambda data: (put(data, len(data) - 14, "<H", 1), put(data, len(data) - 12, "<H", 1))
          and None)
elif kind == "two-disks":
    write()
    patch(lambda data: put(data, len(data) - 18, "<H", 1))
elif kind == "directory-of-12-mib":
    # The end record says one entry. A reader that goes by the size finds millions.
    with open(path, "wb") as file:
        directory = (b"PK\1\2" + bytes(42)) * ((12 << 20) // 46)
        file.write(directory)
        file.write(b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(directory), 0, 0))
elif kind == "count-of-2-to-40":
    with open(path, "wb") as file:
        file.write(b"PK\1\2" + bytes(42))
        file.write(b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, 1 << 40, 1 << 40, 46, 0))
        file.write(b"PK\6\7" + struct.pack("<IQI", 0, 46, 1))
        file.write(b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 0xFFFF, 0xFFFF, 1 << 31, 1 << 31, 0))
elif kind == "two-ends":
    # The comment of one zip file is the end of another.
    write()
    with open(path, "rb") as file:
        first = bytearray(file.read())
    write([(root + "evil.txt", "evil")])
    with open(path, "rb") as file:
        second = bytearray(file.read())
    end = second.rfind(b"PK\5\6")
    offset = struct.unpack_from("<I", second, end + 16)[0] + len(first)
    put(second, end + 16, "<I", offset)
    put(first, len(first) - 2, "<H", min(len(second), 0xFFFF))
    with open(path, "wb") as file:
        file.write(first + second)
elif kind == "empty-file":
    open(path, "wb").close()
elif kind == "page":
    with open(path, "w") as file:
        file.write("\n<!DOCTYPE html><html><title>A model</title></html>")
elif kind == "noise":
    with open(path, "wb") as file:
        file.write(random.Random(2).randbytes(200_000))
elif kind == "empty-zip":
    write(with_bundle=False)
elif kind == "no-folder":
    write(name="")
elif kind == "in-a-folder":
    write(name="downloads/" + root)
elif kind == "other-files":
    write([("README.md", "x"), ("photos/a.jpg", "y")], with_bundle=False)
elif kind == "bundle-is-a-file":
    write([("digits.tiobundle", "x")], with_bundle=False)
elif kind == "no-name":
    write(name=".tiobundle/")
elif kind == "only-macos":
    write(name="__MACOSX/" + root)
elif kind == "several":
    write([("other.tiobundle/model.json", "{}")])
elif kind == "large-manifest":
    write([(root + "model.json", random.Random(3).randbytes(5 << 20).hex())], with_bundle=False)
elif kind == "large-asset":
    write([(root + "assets/large.bin", random.Random(4).randbytes(17 << 20))])
elif kind == "path-of-4-kib":
    name = "b" * 245 + ".tiobundle/" + ("d" * 255 + "/") * 14 + "f" * 255
    write([(name, "x")], with_bundle=False)
# The kinds from here on are harmless.
elif kind == "good":
    write()
elif kind == "stored":
    write(method=zipfile.ZIP_STORED)
elif kind == "macos":
    write([("__MACOSX/digits.tiobundle/._model.json", "x"), (".DS_Store", "y"),
           (root + ".DS_Store", "z"), ("__MACOSX/._digits.tiobundle", "x")])
elif kind == "with-a-read-me":
    write([("README.md", "Read me."), ("photos/a.jpg", "y")])
elif kind == "folders":
    with zipfile.ZipFile(path, "w") as file:
        for name in (root, root + "assets/"):
            file.writestr(entry(name, 0o040755, zipfile.ZIP_STORED), "")
        add_bundle(file)
elif kind == "dos":
    with zipfile.ZipFile(path, "w") as file:
        for name in (root, root + "assets/"):
            info = entry(name, 0, zipfile.ZIP_STORED, system=0)
            info.external_attr = 0x10
            file.writestr(info, "")
        add_bundle(file, system=0)
elif kind == "executable":
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(entry(root, 0o040777, zipfile.ZIP_STORED), "")
        add_bundle(file)
        for info in file.filelist[1:]:
            info.external_attr = 0o106777 << 16
elif kind == "streamed":
    with open(path, "wb") as target, zipfile.ZipFile(Unseekable(target), "w") as file:
        add_bundle(file)
elif kind == "zip64":
    with zipfile.ZipFile(path, "w") as file:
        for folder, _, files in os.walk(bundle):
            for one in files:
                whole = os.path.join(folder, one)
                name = root + os.path.relpath(whole, bundle)
                with open(whole, "rb") as source, file.open(entry(name), "w", force_zip64=True) as to:
                    to.write(source.read())
elif kind == "comment":
    write()
    with zipfile.ZipFile(path, "a") as file:
        file.comment = b"A comment. " * 5000
elif kind == "newline-at-end":
    write()
    patch(lambda data: data + b"\n")
else:
    sys.exit("Unknown kind:  " + kind)
