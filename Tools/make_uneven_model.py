#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Makes a model without an image, of which one operator takes nearly all of the time.

    make_uneven_model.py MODEL

Its operators are an addition, a multiplication by a matrix of 4 million zeros, and another addition.
"""

import sys
from pathlib import Path

import flatbuffers
import numpy
from ai_edge_litert import schema_py_generated as schema

WIDTH = 2048


def tensor(name: str, shape: list[int], buffer: int) -> schema.TensorT:
    made = schema.TensorT()
    made.name, made.shape, made.buffer, made.type = name, shape, buffer, schema.TensorType.FLOAT32
    return made


def code(operator: int) -> schema.OperatorCodeT:
    made = schema.OperatorCodeT()
    made.builtinCode = made.deprecatedBuiltinCode = operator
    made.version = 1
    return made


def step(index: int, inputs: list[int], output: int, kind: int, options: object) -> schema.OperatorT:
    made = schema.OperatorT()
    made.opcodeIndex, made.inputs, made.outputs = index, inputs, [output]
    made.builtinOptionsType, made.builtinOptions = kind, options
    return made


def constant(values: numpy.ndarray) -> schema.BufferT:
    made = schema.BufferT()
    made.data = numpy.frombuffer(values.tobytes(), numpy.uint8)
    return made


def make() -> bytes:
    kinds = schema.BuiltinOptions
    graph = schema.SubGraphT()
    graph.tensors = [
        tensor("one", [1], 1), tensor("matrix", [WIDTH, WIDTH], 2), tensor("row", [1, WIDTH], 0),
        tensor("more", [1, WIDTH], 0), tensor("product", [1, WIDTH], 0), tensor("sum", [1, WIDTH], 0),
    ]
    graph.operators = [
        step(0, [2, 0], 3, kinds.AddOptions, schema.AddOptionsT()),
        step(1, [3, 1, -1], 4, kinds.FullyConnectedOptions, schema.FullyConnectedOptionsT()),
        step(0, [4, 0], 5, kinds.AddOptions, schema.AddOptionsT()),
    ]
    graph.inputs, graph.outputs = [2], [5]
    model = schema.ModelT()
    model.version, model.subgraphs = 3, [graph]
    model.operatorCodes = [code(schema.BuiltinOperator.ADD), code(schema.BuiltinOperator.FULLY_CONNECTED)]
    model.buffers = [
        schema.BufferT(), constant(numpy.float32([1])), constant(numpy.zeros((WIDTH, WIDTH), numpy.float32)),
    ]
    builder = flatbuffers.Builder()
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(make())
