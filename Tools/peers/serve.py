# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""A server as a user would write it in Python, for Benchmarks/serving.py.

    MODEL=MODEL.tflite uvicorn --workers 2 serve:app

OpenCV decodes the posted image and resizes it (not antialiased), LiteRT runs the model, and the response has the
five best scores. It doesn't use a framework, which would only add time.
"""

import json
import os

import cv2
import numpy as np
from ai_edge_litert.interpreter import Interpreter

cv2.setNumThreads(1)
INTERPRETER = Interpreter(model_path=os.environ["MODEL"], num_threads=1)
INTERPRETER.allocate_tensors()
INPUT = INTERPRETER.get_input_details()[0]
OUTPUT = INTERPRETER.get_output_details()[0]


def classify(body: bytes) -> tuple[int, dict]:
    size = INPUT["shape"][1]
    image = cv2.imdecode(np.frombuffer(body, np.uint8), cv2.IMREAD_COLOR)
    if image is None:
        return 422, {"error": "not an image"}
    height, width = image.shape[:2]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    image = cv2.resize(image[top : top + side, left : left + side], (size, size))
    image = cv2.cvtColor(image, cv2.COLOR_BGR2RGB)
    INTERPRETER.set_tensor(INPUT["index"], image[None])
    INTERPRETER.invoke()
    scores = INTERPRETER.get_tensor(OUTPUT["index"])[0]
    best = np.argsort(-scores.astype(int), kind="stable")[:5]
    return 200, {"classes": [{"label": int(i), "value": int(scores[i])} for i in best]}


async def app(scope: dict, receive, send) -> None:
    if scope["type"] != "http":
        return
    parts = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            break
    status, answer = classify(b"".join(parts))
    body = json.dumps(answer).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
