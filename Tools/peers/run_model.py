# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Runs a .tflite model on raw bytes with Python's LiteRT interpreter and prints its outputs.

    run_model.py MODEL.tflite --inputs x.bin y.bin [--signature KEY] [--shape 0=4,3]

The files are in the order of the graph's inputs, which is LiteRT's order.
Strings are in TFLite's own layout: int32 count, int32 offsets[count + 1], bytes.
"""

import argparse
import base64
import dataclasses
import json
import math
from pathlib import Path

import ml_dtypes
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

STRING = "string"
NUMPY_TYPES: dict[str, np.dtype] = {
    name: np.dtype(kind)
    for name, kind in {
        "bool": np.bool_,
        "int8": np.int8,
        "uint8": np.uint8,
        "int16": np.int16,
        "uint16": np.uint16,
        "int32": np.int32,
        "uint32": np.uint32,
        "int64": np.int64,
        "uint64": np.uint64,
        "float16": np.float16,
        "bfloat16": ml_dtypes.bfloat16,
        "float32": np.float32,
        "float64": np.float64,
    }.items()
}
TYPE_NAMES: dict[int, str] = {
    code: name.lower() for name, code in vars(schema.TensorType).items() if isinstance(code, int)
}


@dataclasses.dataclass
class TensorInfo:
    """The file's description of one input or output. An axis of -1 is dynamic."""

    name: str
    index: int
    dtype: str
    shape: list[int]


@dataclasses.dataclass
class SignatureInfo:
    """A function of the model. The key is None in a file without signatures."""

    key: str | None
    inputs: list[TensorInfo]
    outputs: list[TensorInfo]


def signatures(content: bytes) -> list[SignatureInfo]:
    """Lists the functions of a model, with their tensors in the graph's order."""
    model = schema.ModelT.InitFromPackedBuf(bytearray(content), 0)
    found = []
    for definition in model.signatureDefs or []:
        graph = model.subgraphs[definition.subgraphIndex]
        inputs = {entry.tensorIndex: _text(entry.name) for entry in definition.inputs}
        outputs = {entry.tensorIndex: _text(entry.name) for entry in definition.outputs}
        found.append(
            SignatureInfo(
                _text(definition.signatureKey),
                [_tensor_info(graph, index, inputs[index]) for index in graph.inputs],
                [_tensor_info(graph, index, outputs[index]) for index in graph.outputs],
            )
        )
    if not found:
        graph = model.subgraphs[0]
        inputs = [_tensor_info(graph, index) for index in graph.inputs]
        found.append(SignatureInfo(None, inputs, [_tensor_info(graph, i) for i in graph.outputs]))
    return found


def run(
    content: bytes,
    inputs: list[bytes],
    signature: str | None = None,
    shapes: dict[int, list[int]] | None = None,
    builtin_kernels: bool = False,
) -> dict[str, list[dict]]:
    """Runs the model once, and describes inputs and outputs for JSON."""
    known = signatures(content)
    chosen = next((item for item in known if signature in (None, item.key)), None)
    if chosen is None:
        raise SystemExit(f"No signature '{signature}'; the model has {[i.key for i in known]}.")
    if len(inputs) != len(chosen.inputs):
        raise SystemExit(f"The model takes {len(chosen.inputs)} inputs, got {len(inputs)}.")

    arrays = [
        _decode(data, info, (shapes or {}).get(position))
        for position, (data, info) in enumerate(zip(inputs, chosen.inputs))
    ]
    resolver = OpResolverType.AUTO
    if builtin_kernels:
        resolver = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    interpreter = Interpreter(model_content=content, experimental_op_resolver_type=resolver)
    results = _invoke(interpreter, chosen, arrays)
    return {
        "inputs": [_describe(info, array) for info, array in zip(chosen.inputs, arrays)],
        "outputs": [_describe(info, array) for info, array in zip(chosen.outputs, results)],
    }


def encode_strings(strings: list[bytes]) -> bytes:
    """Packs strings in the layout of a TFLite string tensor."""
    offsets = [4 * (len(strings) + 2)]
    for text in strings:
        offsets.append(offsets[-1] + len(text))
    return np.array([len(strings), *offsets], np.int32).tobytes() + b"".join(strings)


def decode_strings(data: bytes) -> list[bytes]:
    """Unpacks the bytes of a TFLite string tensor."""
    count = int(np.frombuffer(data, np.int32, 1)[0])
    offsets = np.frombuffer(data, np.int32, count + 1, offset=4)
    return [data[start:end] for start, end in zip(offsets, offsets[1:])]


def _invoke(
    interpreter: Interpreter, signature: SignatureInfo, arrays: list[np.ndarray]
) -> list[np.ndarray]:
    if signature.key is not None:
        runner = interpreter.get_signature_runner(signature.key)
        results = runner(**{info.name: a for info, a in zip(signature.inputs, arrays)})
        return [results[info.name] for info in signature.outputs]

    for info, array in zip(signature.inputs, arrays):
        interpreter.resize_tensor_input(info.index, array.shape)
    interpreter.allocate_tensors()
    for info, array in zip(signature.inputs, arrays):
        interpreter.set_tensor(info.index, array)
    interpreter.invoke()
    return [interpreter.get_tensor(info.index) for info in signature.outputs]


def _tensor_info(graph: schema.SubGraphT, index: int, name: str | None = None) -> TensorInfo:
    tensor = graph.tensors[index]
    shape = tensor.shapeSignature if tensor.shapeSignature is not None else tensor.shape
    return TensorInfo(
        name if name is not None else _text(tensor.name),
        int(index),
        TYPE_NAMES[tensor.type],
        [int(axis) for axis in (shape if shape is not None else [])],
    )


def _decode(data: bytes, info: TensorInfo, shape: list[int] | None) -> np.ndarray:
    if info.dtype == STRING:
        return np.array(decode_strings(data), dtype=object).reshape(shape or info.shape)
    values = np.frombuffer(data, NUMPY_TYPES[info.dtype])
    shape = shape or info.shape
    if shape.count(-1) == 0 and math.prod(shape) != values.size:
        raise SystemExit(f"'{info.name}' takes {math.prod(shape)} values, got {values.size}.")
    return values.reshape(shape)


def _describe(info: TensorInfo, array: np.ndarray) -> dict:
    is_string = info.dtype == STRING
    data = encode_strings(list(array.flat)) if is_string else array.tobytes()
    return {
        "name": info.name,
        "dtype": info.dtype,
        "shape": list(array.shape),
        "base64": base64.b64encode(data).decode(),
    }


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value


def _shape_argument(text: str) -> tuple[int, list[int]]:
    position, shape = text.split("=")
    return int(position), [int(axis) for axis in shape.split(",")]


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--inputs", type=Path, nargs="+", default=[], metavar="FILE.bin")
    parser.add_argument("--signature", help="default: the first one")
    parser.add_argument(
        "--shape", type=_shape_argument, action="append", default=[], metavar="INDEX=N,N"
    )
    parser.add_argument("--builtin-kernels", action="store_true", help="without XNNPACK")
    arguments = parser.parse_args()
    result = run(
        arguments.model.read_bytes(),
        [path.read_bytes() for path in arguments.inputs],
        arguments.signature,
        dict(arguments.shape),
        arguments.builtin_kernels,
    )
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
