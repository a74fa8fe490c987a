# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Reads the metadata of .tflite files with flatbuffers, LiteRT's schema and zipfile.

    read_metadata.py < CASES.json

Reads an array of objects with `before` and `after`, the base64 forms of a model without and with metadata.
Prints an array of objects: the fields of `after`, its files, the alignment of the metadata, whether the rest
of the model is equal, and whether LiteRT computes the same.

The numbers of slots are those of metadata_schema.fbs, version 1.5.0.
"""

import base64
import io
import json
import sys
import zipfile

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter
from flatbuffers import encode, number_types
from flatbuffers.table import Table

NAME = b"TFLITE_METADATA"


class Reader:
    """A table of a flatbuffer, whose fields are read by their slot."""

    def __init__(self, content: bytes, position: int) -> None:
        self.table = Table(bytearray(content), position)

    @classmethod
    def root(cls, content: bytes, identifier: bytes) -> "Reader":
        assert content[4:8] == identifier, content[:8]
        return cls(content, encode.Get(number_types.UOffsetTFlags.packer_type, content, 0))

    def field(self, slot: int) -> int:
        offset = self.table.Offset(4 + 2 * slot)
        return offset and self.table.Pos + offset

    def text(self, slot: int) -> str | None:
        field = self.field(slot)
        return self.table.String(field).decode() if field else None

    def byte(self, slot: int) -> int:
        field = self.field(slot)
        return self.table.Get(number_types.Uint8Flags, field) if field else 0

    def integer(self, slot: int) -> int:
        field = self.field(slot)
        return self.table.Get(number_types.Uint32Flags, field) if field else 0

    def real(self, slot: int) -> float:
        field = self.field(slot)
        return self.table.Get(number_types.Float32Flags, field) if field else 0.0

    def child(self, slot: int) -> "Reader | None":
        field = self.field(slot)
        return Reader(self.table.Bytes, self.table.Indirect(field)) if field else None

    def _vector(self, slot: int) -> tuple[int, int]:
        field = self.field(slot)
        if not field:
            return 0, 0
        offset = field - self.table.Pos
        return self.table.Vector(offset), self.table.VectorLen(offset)

    def children(self, slot: int) -> list["Reader"]:
        start, count = self._vector(slot)
        positions = [start + 4 * index for index in range(count)]
        return [Reader(self.table.Bytes, self.table.Indirect(p)) for p in positions]

    def texts(self, slot: int) -> list[str]:
        start, count = self._vector(slot)
        return [self.table.String(start + 4 * index).decode() for index in range(count)]

    def numbers(self, slot: int, kind: str) -> list:
        start, count = self._vector(slot)
        return np.frombuffer(self.table.Bytes, kind, count, start).tolist()


def tensor(table: Reader) -> dict:
    fields = {"name": table.text(0), "description": table.text(1)}
    if content := table.child(3):
        fields["content"] = content.byte(0)
        properties = content.child(1)
        if content.byte(0) == 2:
            size = properties.child(1)
            fields["color"] = properties.byte(0)
            fields["size"] = [size.integer(0), size.integer(1)] if size else None
        if content.byte(0) == 3:
            fields["box"] = properties.numbers(0, "<u4") + [properties.byte(1), properties.byte(2)]
        if values := content.child(2):
            fields["range"] = [values.integer(0), values.integer(1)]
    for unit in table.children(4):
        options = unit.child(1)
        if unit.byte(0) == 1:
            fields["mean"], fields["std"] = options.numbers(0, "<f4"), options.numbers(1, "<f4")
        if unit.byte(0) == 3:
            fields["threshold"] = options.real(0)
    if stats := table.child(5):
        fields["max"], fields["min"] = stats.numbers(0, "<f4"), stats.numbers(1, "<f4")
    fields["files"] = [[file.text(0), file.byte(2)] for file in table.children(6)]
    return {key: value for key, value in fields.items() if value is not None}


def model(content: bytes) -> dict:
    """Checks a metadata flatbuffer's form, and returns its fields."""
    root = Reader.root(content, b"M001")
    (graph,) = root.children(3)
    return {
        "texts": [root.text(slot) for slot in (0, 1, 2, 4, 5, 7)],
        "inputs": [tensor(table) for table in graph.children(2)],
        "outputs": [tensor(table) for table in graph.children(3)],
        "groups": [[group.text(0), *group.texts(1)] for group in graph.children(8)],
    }


def without_metadata(content: bytes) -> dict:
    """Returns everything in a model but its metadata, with the elements of its buffers."""
    unpacked = schema.ModelT.InitFromPackedBuf(bytearray(content), 0)
    hidden = {entry.buffer for entry in unpacked.metadata or [] if entry.name == NAME}
    elements = []
    for index, buffer in enumerate(unpacked.buffers):
        data = b"" if buffer.data is None else bytes(bytearray(buffer.data))
        if buffer.offset > 1:
            data = content[buffer.offset : buffer.offset + buffer.size]
        elements.append(b"" if index in hidden else data)
    while elements and not elements[-1]:
        elements.pop()
    unpacked.buffers = []
    unpacked.metadata = [entry for entry in unpacked.metadata or [] if entry.name != NAME]
    builder = flatbuffers.Builder(1024)
    builder.Finish(unpacked.Pack(builder))
    return {"graphs": bytes(builder.Output()), "elements": elements}


def misaligned(content: bytes) -> list[int]:
    """Returns the buffers whose elements aren't aligned to 16 bytes."""
    root = schema.Model.GetRootAs(content)
    found = []
    for index in range(root.BuffersLength()):
        buffer = root.Buffers(index)
        if buffer.DataLength():
            start = buffer._tab.Vector(buffer._tab.Offset(4))
        else:
            start = buffer.Offset() if buffer.Offset() > 1 else 0
        if start % 16:
            found.append(index)
    return found


def outputs(content: bytes) -> list[bytes]:
    """Runs a model on seeded numbers."""
    interpreter = Interpreter(model_content=content)
    interpreter.allocate_tensors()
    generator = np.random.default_rng(7)
    for detail in interpreter.get_input_details():
        numbers = generator.integers(0, 100, detail["shape"])
        interpreter.set_tensor(detail["index"], numbers.astype(detail["dtype"]))
    interpreter.invoke()
    details = interpreter.get_output_details()
    return [interpreter.get_tensor(detail["index"]).tobytes() for detail in details]


def answer(case: dict) -> dict:
    before, after = (base64.b64decode(case[key]) for key in ("before", "after"))
    root = schema.Model.GetRootAs(after)
    assert schema.Model.ModelBufferHasIdentifier(after, 0)
    entries = [root.Metadata(index) for index in range(root.MetadataLength())]
    (entry,) = (entry for entry in entries if entry.Name() == NAME)
    files = {}
    if zipfile.is_zipfile(io.BytesIO(after)):
        with zipfile.ZipFile(io.BytesIO(after)) as archive:
            assert archive.testzip() is None
            assert all(info.compress_type == zipfile.ZIP_STORED for info in archive.infolist())
            # Some readers take offsets as they are, from the start of the file.
            assert all(after[i.header_offset :][:4] == b"PK\3\4" for i in archive.infolist())
            files = {name: archive.read(name).decode() for name in archive.namelist()}
    return {
        "model": model(root.Buffers(entry.Buffer()).DataAsNumpy().tobytes()),
        "files": files,
        "misaligned": [i for i in misaligned(after) if i not in misaligned(before)],
        "isOtherwiseEqual": without_metadata(before) == without_metadata(after),
        "computesTheSame": not case["runs"] or outputs(before) == outputs(after),
    }


if __name__ == "__main__":
    print(json.dumps([answer(case) for case in json.load(sys.stdin)], sort_keys=True))
