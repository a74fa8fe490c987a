# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Decodes boxes and masks with NumPy, and runs other libraries.

    decoders.py < CASES.json

Reads an array of cases, each with a `kind`, and prints an array of results. Tensors are objects with a `shape` and
base64 `data` of 32-bit numbers. Boxes are rows of left, top, right, bottom, score, class, row in the tensor, angle.

A `margin` is how close a decision was: the smallest difference between an overlap and the limit. Below the rounding
error of 32-bit numbers, another implementation may decide otherwise.
"""

import base64
import contextlib
import json
import math
import sys

import numpy as np

from decoder_libraries import libraries, tensor, tflite

NOTHING = {"boxes": [], "points": [], "margin": 1.0}


def encoded(values: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=np.uint8).tobytes()).decode()


def sigmoid(values: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return (1 / (1 + np.exp(-values.astype(np.float64)))).astype(np.float32)


def overlaps(boxes: np.ndarray) -> np.ndarray:
    """The intersection over union of all pairs of left, top, right, bottom."""
    boxes = boxes.astype(np.float64)
    corners = np.maximum(boxes[:, None, :2], boxes[None, :, :2])
    ends = np.minimum(boxes[:, None, 2:4], boxes[None, :, 2:4])
    common = np.prod(np.clip(ends - corners, 0, None), axis=2)
    areas = np.prod(boxes[:, 2:4] - boxes[:, :2], axis=1)
    whole = areas[:, None] + areas[None, :] - common
    return np.divide(common, whole, out=np.zeros_like(common), where=common > 0)


def probabilistic_overlaps(boxes: np.ndarray) -> np.ndarray:
    """1 minus the Hellinger distance of Gaussians (Llerena et al., arXiv:2106.06072), from x, y, w, h, angle.

    The small numbers that keep logarithms and roots defined are those of Ultralytics.
    """
    boxes = boxes.astype(np.float64)
    tiny = 1e-7
    turns = np.array([[[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]] for a in boxes[:, 4]])
    forms = turns @ np.array([np.diag([w * w / 12, h * h / 12]) for w, h in boxes[:, 2:4]]) @ turns.transpose(0, 2, 1)
    result = np.zeros((len(boxes), len(boxes)))
    own = np.linalg.det(forms)
    for first in range(len(boxes)):
        sums = forms + forms[first]
        gaps = boxes[:, :2] - boxes[first, :2]
        mahalanobis = np.einsum("ni,nij,nj->n", gaps, np.linalg.inv(sums), gaps) / 4
        ratios = np.linalg.det(sums) / (4 * np.sqrt(own * own[first]))
        distance = np.clip(mahalanobis + np.log(ratios + tiny) / 2, tiny, 100)
        result[first] = 1 - np.sqrt(1 - np.exp(-distance) + tiny)
    return result


def select(rows: list, shapes: np.ndarray, points: np.ndarray, options: dict) -> dict:
    """Suppresses boxes: rows as in the module's comment, in the order of the tensor."""
    if not len(rows):
        return NOTHING
    boxes = np.array([row[:4] for row in rows], dtype=np.float32)
    scores = np.array([row[4] for row in rows], dtype=np.float32)
    classes = np.array([row[5] for row in rows])
    order = np.argsort(-scores, kind="stable")[: options["candidates"]]
    mode, limit, top = options["suppression"], options["iou"], options["top"]
    boxes, classes, kept = boxes[order], classes[order], []
    gaps = np.diff(np.sort(scores.astype(np.float64)))
    # Equal scores are no risk, because both sides have the same order.
    margin = min([1.0, *gaps[gaps > 0], *np.abs(scores.astype(np.float64) - options["threshold"])])
    if mode == "none":
        return results(rows, points, order[:top].tolist(), margin)
    oriented = shapes is not None
    shares = probabilistic_overlaps(shapes[order]) if oriented else overlaps(boxes)
    if mode == "weighted":
        return blended(rows, boxes, scores[order], order, points, shares, options, margin)
    competes = np.ones_like(shares, dtype=bool) if mode == "all" else classes[:, None] == classes[None, :]
    alive = np.ones(len(order), dtype=bool)
    for index in range(len(order)):
        if oriented:
            # Ultralytics' "fast NMS" compares with all better boxes, even suppressed ones.
            others = np.flatnonzero(competes[index, :index])
            alive[index] = not np.any(shares[index, others] >= limit)
        else:
            others = np.array([other for other in kept if competes[index, other]], dtype=int)
            alive[index] = not np.any(shares[index, others] > limit)
        margin = min([margin, *np.abs(shares[index, others] - limit)])
        if alive[index]:
            kept.append(index)
        if len(kept) == top:
            break
    return results(rows, points, [int(order[index]) for index in kept], margin)


def blended(rows, boxes, scores, order, points, shares, options, margin) -> dict:
    """MediaPipe's weighted non-maximum suppression."""
    found, found_points = [], []
    remaining = list(range(len(order)))
    while remaining and len(found) < options["top"]:
        best = remaining[0]
        margin = min([margin, *(abs(shares[best, other] - options["iou"]) for other in remaining)])
        group = [other for other in remaining if shares[best, other] > options["iou"]]
        remaining = [other for other in remaining[1:] if other not in group]
        row = list(rows[order[best]])
        own = points[order[best]].astype(np.float64)
        if group:
            weights = scores[group].astype(np.float64)
            row[:4] = np.average(boxes[group].astype(np.float64), axis=0, weights=weights).tolist()
            own[:, :2] = np.average(points[order[group]][:, :, :2].astype(np.float64), axis=0, weights=weights)
        found.append(row)
        found_points.append(own)
    return {"boxes": found, "points": np.array(found_points).reshape(-1, 3).tolist(), "margin": margin}


def results(rows: list, points: np.ndarray, kept: list, margin: float) -> dict:
    return {
        "boxes": [rows[index] for index in kept],
        "points": points[kept].reshape(-1, points.shape[2]).astype(np.float64).tolist(),
        "margin": margin,
    }


def decoded(boxes, scores, classes, points, options, angles=None, shapes=None) -> dict:
    """Drops boxes that can't be used, and selects from the others."""
    with np.errstate(invalid="ignore"):
        sizes = boxes[:, 2:] - boxes[:, :2]
        usable = np.all(np.isfinite(sizes) & (sizes >= 0), axis=1) & np.isfinite(scores)
        usable &= scores > np.float32(options["threshold"])
        usable &= (classes >= 0) & (classes < 2**31)
    if angles is not None:
        usable &= np.isfinite(angles)
    indices = np.flatnonzero(usable)
    rows = [
        [
            *boxes[index].astype(np.float64).tolist(),
            float(scores[index]),
            int(classes[index]),
            int(index),
            0.0 if angles is None else float(angles[index]),
        ]
        for index in indices
    ]
    return select(rows, None if shapes is None else shapes[indices], points[indices], options)


def best_classes(scores: np.ndarray) -> tuple:
    """The best class of each row, ignoring undefined scores."""
    clean = np.where(np.isnan(scores), -np.inf, scores)
    classes = clean.argmax(axis=1)
    return clean[np.arange(len(clean)), classes], classes


def yolo(case: dict) -> dict:
    """Decodes a YOLO tensor."""
    values = tensor(case["tensor"])
    layout = case["layout"]
    rows = values.T if layout == "v8" else values
    behind = 3 * case["points"] + case["coefficients"] + case["oriented"]
    before = {"v5": 5, "end-to-end": 6}.get(layout, 4)
    classes = rows.shape[1] - before - behind
    activate = sigmoid if case["activation"] == "sigmoid" else lambda scores: scores
    if layout == "end-to-end":
        scores = np.where(np.isfinite(rows[:, 4]), activate(rows[:, 4]), np.nan)
        numbers = np.where(np.isfinite(rows[:, 5]), np.round(rows[:, 5]), -1)
    else:
        raw, numbers = best_classes(rows[:, before : before + classes])
        scores = np.where(np.isfinite(raw), activate(raw), np.nan)
        if layout == "v5":
            objectness = np.where(np.isfinite(rows[:, 4]), activate(rows[:, 4]), np.nan)
            with np.errstate(invalid="ignore"):
                scores = np.where(objectness > np.float32(case["threshold"]), scores * objectness, np.nan)
    first = before + classes
    points = rows[:, first : first + 3 * case["points"]].reshape(len(rows), case["points"], 3)
    angles = rows[:, -1] if case["oriented"] else None
    shapes = None
    if layout == "end-to-end" and not case["oriented"]:
        boxes = rows[:, :4]
    else:
        with np.errstate(invalid="ignore"):
            half = rows[:, 2:4] / np.float32(2)
            boxes = np.concatenate([rows[:, :2] - half, rows[:, :2] + half], axis=1)
        if case["oriented"]:
            shapes = np.concatenate([rows[:, :4], rows[:, -1:]], axis=1)
    found = decoded(boxes, scores, numbers, points, case, angles, shapes)
    first += 3 * case["points"]
    sources = [row[6] for row in found["boxes"]]
    found["coefficients"] = rows[sources, first : first + case["coefficients"]].ravel().astype(float).tolist()
    return found


def ssd(case: dict) -> dict:
    """Decodes boxes relative to anchors."""
    values = tensor(case["tensor"]).astype(np.float64)
    scores = tensor(case["scores"])
    anchors = tensor(case["anchors"]).astype(np.float64)
    scale = np.array(case["scale"], dtype=np.float64)
    if case["order"] == "xywh":
        swapped = [1, 0, 3, 2]
    else:
        swapped = [0, 1, 2, 3]
    codes = values[:, :4][:, swapped] / scale
    center = (codes[:, :2] * anchors[:, 2:] + anchors[:, :2]).astype(np.float32)
    with np.errstate(over="ignore"):
        size = np.exp(codes[:, 2:]) if case["exponential"] else codes[:, 2:]
        half = (size * anchors[:, 2:] / 2).astype(np.float32)
    with np.errstate(invalid="ignore"):
        boxes = np.concatenate([center - half, center + half], axis=1)[:, [1, 0, 3, 2]]
    points = values[:, 4 : 4 + 2 * case["points"]].reshape(len(values), case["points"], 2)
    points = points[:, :, swapped[:2]] / scale[:2] * anchors[:, None, 2:] + anchors[:, None, :2]
    points = np.concatenate([points[:, :, ::-1], np.full((*points.shape[:2], 1), -1.0)], axis=2)
    first = int(case["background"])
    raw, classes = best_classes(scores[:, first:])
    if case["activation"] == "sigmoid":
        raw = np.where(np.isfinite(raw), sigmoid(raw), np.nan)
    elif case["activation"] == "softmax":
        with np.errstate(invalid="ignore"):
            shares = np.exp(scores.astype(np.float64) - np.max(scores, axis=1, keepdims=True))
            shares /= shares.sum(axis=1, keepdims=True)
        raw = shares[np.arange(len(shares)), classes + first].astype(np.float32)
    return decoded(boxes, raw, classes, points, case)


def postprocess(case: dict) -> dict:
    """Reads the outputs of TFLite_Detection_PostProcess."""
    boxes = tensor(case["tensor"])[:, [1, 0, 3, 2]]
    count = int(case["count"])
    classes = tensor(case["classes"])[:count]
    classes = np.where(np.isfinite(classes), np.round(classes), -1)
    return decoded(boxes[:count], tensor(case["scores"])[:count], classes, np.zeros((count, 0, 3)), case)


def chosen(case: dict) -> dict:
    """Selects from boxes with scores and classes."""
    values = tensor(case["tensor"])
    points = tensor(case["points"])
    return decoded(values[:, :4], values[:, 4], values[:, 5].astype(int), points, case)


def grid(case: dict) -> dict:
    """Anchors as the options of MediaPipe's SsdAnchorsCalculator are documented: y, x, h, w."""
    (width, height), strides = case["size"], case["strides"]
    rows = []

    def scale(index: int) -> float:
        if len(strides) == 1:
            return (case["min_scale"] + case["max_scale"]) / 2
        return case["min_scale"] + (case["max_scale"] - case["min_scale"]) * index / (len(strides) - 1)

    groups = []
    for index, stride in enumerate(strides):
        if index == 0 or stride != strides[index - 1]:
            groups.append([])
        groups[-1].append(index)
    for group in groups:
        sizes = []
        for layer in group:
            if layer == 0 and case["reduce_boxes_in_lowest_layer"]:
                sizes += [(0.1, 1.0), (scale(0), 2.0), (scale(0), 0.5)]
                continue
            sizes += [(scale(layer), ratio) for ratio in case["aspect_ratios"]]
            if case["interpolated_scale_aspect_ratio"] > 0:
                following = 1.0 if layer + 1 == len(strides) else scale(layer + 1)
                sizes.append((math.sqrt(scale(layer) * following), case["interpolated_scale_aspect_ratio"]))
        down, across = (math.ceil(side / strides[group[0]]) for side in (height, width))
        for y in range(down):
            for x in range(across):
                for size, ratio in sizes:
                    h, w = (1, 1) if case["fixed_anchor_size"] else (size / ratio**0.5, size * ratio**0.5)
                    rows.append([(y + case["anchor_offset_y"]) / down, (x + case["anchor_offset_x"]) / across, h, w])
    return {"anchors": np.array(rows).ravel().tolist()}


def mask(case: dict) -> dict:
    """Returns the cropped mask of a box: sums of prototypes, enlarged, above 0, cropped to rounded edges."""
    prototypes = tensor(case["tensor"]).astype(np.float64)
    if not case["channels_first"]:
        prototypes = prototypes.transpose(2, 0, 1)
    sums = np.tensordot(np.array(case["coefficients"], dtype=np.float32).astype(np.float64), prototypes, axes=1)
    width, height = case["size"]
    across, down = interpolation(sums.shape[1], width), interpolation(sums.shape[0], height)
    enlarged = down @ sums @ across.T
    left, top, right, bottom = np.array(case["box"], dtype=np.float32)
    x = np.float32(width) / np.float32(case["extent"][0])
    y = np.float32(height) / np.float32(case["extent"][1])
    left, right = (int(np.clip(np.round(edge * x), 0, width)) for edge in (left, right))
    top, bottom = (int(np.clip(np.round(edge * y), 0, height)) for edge in (top, bottom))
    part = enlarged[top:bottom, left:right]
    return {
        "region": [left, top, max(right - left, 0), max(bottom - top, 0)],
        "cells": encoded(part > 0),
        "close": encoded(np.abs(part) < 1e-5 * np.abs(sums).max(initial=1)),
    }


def interpolation(cells: int, pixels: int) -> np.ndarray:
    """The weights of cells for each pixel, whose centers are compared."""
    weights = np.zeros((pixels, cells))
    for pixel in range(pixels):
        place = max((pixel + 0.5) * cells / pixels - 0.5, 0)
        first = min(int(place), cells - 1)
        weights[pixel, first] += 1 - (place - first)
        weights[pixel, min(first + 1, cells - 1)] += place - first
    return weights


KINDS = {
    "yolo": yolo,
    "ssd": ssd,
    "postprocess": postprocess,
    "select": chosen,
    "libraries": libraries,
    "tflite": tflite,
    "grid": grid,
    "mask": mask,
}


def main() -> None:
    """Decodes all cases from standard input."""
    cases = json.load(sys.stdin)
    with contextlib.redirect_stdout(sys.stderr):
        results = [KINDS[case["kind"]](case) for case in cases]
    json.dump(results, sys.stdout, default=float)


if __name__ == "__main__":
    main()
