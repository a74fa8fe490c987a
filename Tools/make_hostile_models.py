#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Makes Tests/Fixtures/Hostile: models with one field altered, each of which breaks one rule.

    Scripts/setup.sh --peers   # prints the path of a Python that has what this needs
    PYTHON Tools/make_hostile_models.py

`expected.json` has a part of each file's error message.
"""

import json
from collections.abc import Callable
from pathlib import Path

import flatbuffers
import numpy
from ai_edge_litert import schema_py_generated as schema

ROOT = Path(__file__).resolve().parent.parent
MODELS = ROOT / "Tests/Fixtures/Models"
HOSTILE = ROOT / "Tests/Fixtures/Hostile"

CASES: dict[str, tuple[str, str, Callable[[schema.ModelT], None]]] = {}


def case(base: str, expected: str) -> Callable:
    """Registers a function that alters a model, under the function's name."""

    def register(function: Callable[[schema.ModelT], None]) -> None:
        CASES[function.__name__] = (base, expected, function)

    return register


def graph(model: schema.ModelT) -> schema.SubGraphT:
    return model.subgraphs[0]


def thaw(model: schema.ModelT) -> None:
    """Copies the schema's arrays, which are views of the file, so that indexes can be altered."""
    for part in model.subgraphs:
        part.inputs, part.outputs = list(part.inputs), list(part.outputs)
        for operator in part.operators:
            operator.inputs, operator.outputs = list(operator.inputs), list(operator.outputs)


def quantized(model: schema.ModelT) -> schema.TensorT:
    """Returns a tensor that an operator uses."""
    for tensor in graph(model).tensors:
        if tensor.quantization is not None and tensor.quantization.scale is not None and tensor.type == 9:
            return tensor
    raise ValueError("The model has no quantized tensor.")


def constant(model: schema.ModelT) -> schema.TensorT:
    return next(t for t in graph(model).tensors if model.buffers[t.buffer].data is not None)


@case("int8_quantized", "whose scale is 0")
def scale_zero(model):
    quantized(model).quantization.scale = numpy.array([0], dtype=numpy.float32)


@case("int8_quantized", "whose scale is nan")
def scale_nan(model):
    quantized(model).quantization.scale = numpy.array([numpy.nan], dtype=numpy.float32)


@case("int8_quantized", "whose scale is inf")
def scale_infinite(model):
    quantized(model).quantization.scale = numpy.array([numpy.inf], dtype=numpy.float32)


@case("int8_quantized", "whose scale is -1")
def scale_negative(model):
    quantized(model).quantization.scale = numpy.array([-1], dtype=numpy.float32)


@case("int8_quantized", "which has no scale")
def scale_missing(model):
    quantized(model).quantization = None


@case("int8_quantized", "zero point 1000")
def zero_point_outside(model):
    quantized(model).quantization.zeroPoint = numpy.array([1000])


@case("per_channel", "3 scales along axis 7")
def quantized_axis(model):
    quantized(model).quantization.quantizedDimension = 7


@case("add", "more than the limit of 1 GiB")
def tensor_too_large(model):
    graph(model).tensors[0].shape = numpy.array([2**30], dtype=numpy.int32)


@case("add", "its shape signature [1000]")
def other_signature(model):
    graph(model).tensors[0].shapeSignature = numpy.array([1000], dtype=numpy.int32)


@case("string", "more than the limit of 1 GiB")
def too_many_strings(model):
    graph(model).tensors[graph(model).inputs[0]].shape = numpy.array([2**24], dtype=numpy.int32)


@case("add", "impossible shape")
def negative_length(model):
    graph(model).tensors[0].shape = numpy.array([-5], dtype=numpy.int32)


@case("reverse_float32", "at most 8")
def too_many_axes(model):
    graph(model).tensors[0].shape = numpy.ones(9, dtype=numpy.int32)


@case("matmul", "bytes")
def constant_too_short(model):
    constant(model).shape = numpy.array([1000], dtype=numpy.int32)


@case("identity_image", "writes float32 elements to the tensor 'output', which has the type uint8")
def moved_to_smaller_elements(model):
    graph(model).tensors[graph(model).outputs[0]].type = schema.TensorType.UINT8


@case("add", "buffer 99, which does not exist")
def buffer_missing(model):
    graph(model).tensors[0].buffer = 99


@case("add", "refers to tensor 99, which does not exist")
def operand_missing(model):
    graph(model).operators[0].inputs[0] = 99


@case("add", "lacks a tensor that it needs")
def operand_left_out(model):
    graph(model).operators[0].inputs[0] = -1


@case("add", "refers to tensor 99, which does not exist")
def result_missing(model):
    graph(model).operators[0].outputs[0] = 99


@case("add", "writes to the constant")
def result_is_constant(model):
    target = graph(model).tensors.index(constant(model))
    graph(model).operators[-1].outputs[0] = target


@case("add", "before anything is written to it")
def operators_swapped(model):
    graph(model).operators.reverse()


@case("add", "code 99, which does not exist")
def code_missing(model):
    graph(model).operators[0].opcodeIndex = 99


@case("add", "a graph's input is tensor 99")
def input_missing(model):
    graph(model).inputs[0] = 99


@case("add", "a graph's output is tensor 99")
def output_missing(model):
    graph(model).outputs[0] = 99


@case("add", "nothing writes the graph's output")
def output_never_written(model):
    graph(model).operators = []


@case("two_signatures", "runs graph 7, which does not exist")
def signature_graph(model):
    model.signatureDefs[0].subgraphIndex = 7


@case("two_signatures", "has the input 42")
def signature_input(model):
    model.signatureDefs[0].inputs[0].tensorIndex = 42


@case("two_signatures", "has the output 42")
def signature_output(model):
    model.signatureDefs[0].outputs[0].tensorIndex = 42


@case("slow", "calls graph 77, which does not exist")
def call_missing(model):
    for operator in graph(model).operators:
        if isinstance(operator.builtinOptions, schema.WhileOptionsT):
            operator.builtinOptions.bodySubgraphIndex = 77


@case("slow", "of a graph that it calls")
def call_with_other_type(model):
    for operator in graph(model).operators:
        if isinstance(operator.builtinOptions, schema.WhileOptionsT):
            body = model.subgraphs[operator.builtinOptions.bodySubgraphIndex]
            body.tensors[body.inputs[-1]].type = schema.TensorType.UINT8


@case("with_metadata", "metadata is in buffer 99")
def metadata_missing(model):
    model.metadata[0].buffer = 99


def main() -> None:
    HOSTILE.mkdir(exist_ok=True)
    expected = {}
    for name, (base, message, alter) in CASES.items():
        file = MODELS / f"{base}.tflite"
        model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(file.read_bytes(), 0))
        thaw(model)
        alter(model)
        builder = flatbuffers.Builder(4096)
        builder.Finish(model.Pack(builder), b"TFL3")
        (HOSTILE / f"{name}.tflite").write_bytes(bytes(builder.Output()))
        expected[f"{name}.tflite"] = message
    text = json.dumps(expected, indent=2, sort_keys=True)
    (HOSTILE / "expected.json").write_text(text + "\n")
    print(f"{len(expected)} models in {HOSTILE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
