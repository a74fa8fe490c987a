#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Makes a model with many operators: an image, and additions of a constant in a row.

    make_chain_model.py MODEL COUNT
"""

import sys
from pathlib import Path

import flatbuffers
import numpy
from ai_edge_litert import schema_py_generated as schema

SHAPE = [1, 4, 4, 3]


def tensor(name: str, shape: list[int], buffer: int) -> schema.TensorT:
    made = schema.TensorT()
    made.name, made.shape, made.buffer, made.type = name, shape, buffer, schema.TensorType.FLOAT32
    return made


def make(count: int) -> bytes:
    code = schema.OperatorCodeT()
    code.builtinCode = code.deprecatedBuiltinCode = schema.BuiltinOperator.ADD
    code.version = 1
    constant = schema.BufferT()
    constant.data = numpy.frombuffer(numpy.float32(1).tobytes(), numpy.uint8)
    graph = schema.SubGraphT()
    graph.tensors = [tensor("one", [1], 1), tensor("image", SHAPE, 0)]
    graph.operators = []
    for index in range(count):
        graph.tensors.append(tensor(f"sum_{index}", SHAPE, 0))
        add = schema.OperatorT()
        add.opcodeIndex, add.inputs, add.outputs = 0, [index + 1, 0], [index + 2]
        add.builtinOptionsType, add.builtinOptions = schema.BuiltinOptions.AddOptions, schema.AddOptionsT()
        graph.operators.append(add)
    graph.inputs, graph.outputs = [1], [count + 1]
    model = schema.ModelT()
    model.version, model.operatorCodes, model.subgraphs = 3, [code], [graph]
    model.buffers = [schema.BufferT(), constant]
    builder = flatbuffers.Builder()
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(make(int(sys.argv[2])))
