# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Suppresses boxes with TensorFlow, OpenCV and TensorFlow Lite, for decoders.py."""

import base64
import contextlib
import os

import numpy as np


def tensor(value: dict) -> np.ndarray:
    """Returns a tensor of a case."""
    return np.frombuffer(base64.b64decode(value["data"]), dtype="<f4").reshape(value["shape"])


def libraries(case: dict) -> dict:
    """Returns the indices that other libraries keep of boxes with scores and classes."""
    values = tensor(case["tensor"])
    found = {"tensorflow": tensorflow_indices(values, case)}
    with contextlib.suppress(ImportError):
        found["opencv"] = opencv_indices(values, case)
    return found


def tensorflow_indices(values: np.ndarray, case: dict) -> list:
    tf = tensorflow()
    boxes, scores, classes = values[:, [1, 0, 3, 2]], values[:, 4], values[:, 5].astype(int)
    if case["suppression"] == "all":
        return tf.image.non_max_suppression(
            boxes, scores, case["top"], iou_threshold=case["iou"], score_threshold=case["threshold"]
        ).numpy().tolist()
    each = np.zeros((len(values), classes.max() + 1), dtype=np.float32)
    each[np.arange(len(values)), classes] = scores
    _, chosen, labels, count = tf.image.combined_non_max_suppression(
        boxes[None, :, None], each[None], case["top"], case["top"], case["iou"], case["threshold"], clip_boxes=False
    )
    # The operation returns no indices, but a random score occurs only once.
    return [
        int(np.flatnonzero((scores == score) & (classes == label))[0])
        for score, label in zip(chosen[0, : count[0]].numpy(), labels[0, : count[0]].numpy())
    ]


def opencv_indices(values: np.ndarray, case: dict) -> list:
    import cv2

    sizes = np.concatenate([values[:, :2], values[:, 2:4] - values[:, :2]], axis=1).astype(float).tolist()
    scores = values[:, 4].astype(float).tolist()
    if case["suppression"] == "all":
        kept = cv2.dnn.NMSBoxes(sizes, scores, case["threshold"], case["iou"])
    else:
        kept = cv2.dnn.NMSBoxesBatched(
            sizes, scores, values[:, 5].astype(int).tolist(), case["threshold"], case["iou"]
        )
    return sorted((int(index) for index in np.ravel(kept)), key=lambda index: -scores[index])[: case["top"]]


def tensorflow():
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow

    return tensorflow


def tflite(case: dict) -> dict:
    """Runs TFLite_Detection_PostProcess on several tensors."""
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(model_content=postprocess_model(case))
    interpreter.allocate_tensors()
    inputs = [entry["index"] for entry in interpreter.get_input_details()]
    outputs = [entry["index"] for entry in interpreter.get_output_details()]
    found = []
    for run in case["runs"]:
        interpreter.set_tensor(inputs[0], tensor(run["boxes"])[None])
        interpreter.set_tensor(inputs[1], tensor(run["scores"])[None])
        interpreter.invoke()
        boxes, classes, scores, count = (interpreter.get_tensor(index).ravel().astype(float) for index in outputs)
        found.append(
            {"boxes": boxes.tolist(), "classes": classes.tolist(), "scores": scores.tolist(), "count": count[0]}
        )
    return {"runs": found}


def postprocess_model(case: dict) -> bytes:
    """Returns a model with one operator, whose anchors are a constant."""
    import flatbuffers
    from flatbuffers import flexbuffers
    from tensorflow.lite.python import schema_py_generated as schema

    anchors = tensor(case["anchors"])
    count, columns = len(anchors), case["columns"]
    options = flexbuffers.Builder()
    with options.Map():
        for key in ["max_detections", "max_classes_per_detection", "num_classes"]:
            options.Int(key, case[key])
        options.Bool("use_regular_nms", False)
        options.Float("nms_score_threshold", case["threshold"])
        options.Float("nms_iou_threshold", case["iou"])
        for key, value in zip(["y_scale", "x_scale", "h_scale", "w_scale"], case["scale"]):
            options.Float(key, value)

    def described(name: str, shape: list, buffer: int) -> schema.TensorT:
        value = schema.TensorT()
        value.name, value.shape, value.type, value.buffer = name, shape, schema.TensorType.FLOAT32, buffer
        return value

    most = case["max_detections"]
    graph = schema.SubGraphT()
    graph.tensors = [
        described("boxes", [1, count, 4], 0),
        described("scores", [1, count, columns], 0),
        described("anchors", [count, 4], 1),
        described("found", [1, most, 4], 0),
        described("classes", [1, most], 0),
        described("found_scores", [1, most], 0),
        described("count", [1], 0),
    ]
    operator = schema.OperatorT()
    operator.opcodeIndex = 0
    operator.inputs, operator.outputs = [0, 1, 2], [3, 4, 5, 6]
    operator.customOptions = list(options.Finish())
    graph.operators = [operator]
    graph.inputs, graph.outputs = [0, 1], [3, 4, 5, 6]
    code = schema.OperatorCodeT()
    code.builtinCode = code.deprecatedBuiltinCode = schema.BuiltinOperator.CUSTOM
    code.customCode = "TFLite_Detection_PostProcess"
    empty, constant = schema.BufferT(), schema.BufferT()
    constant.data = list(anchors.tobytes())
    model = schema.ModelT()
    model.version, model.operatorCodes, model.subgraphs, model.buffers = 3, [code], [graph], [empty, constant]
    builder = flatbuffers.Builder(1 << 16)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())
