# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Decodes points, numbers and text with NumPy, SciPy, scikit-learn and TensorFlow.

    decoders_points.py < CASES.json

Reads an array of cases, each with a `kind`, and prints an array of results. Tensors are objects with a `shape` and
base64 `data` of 32-bit numbers. Numbers that aren't finite are null in the results.

A `margin` is how close a decision was: the smallest difference between two scores, or between a score and the
threshold. Below the rounding error of 32-bit numbers, another implementation may decide otherwise.
"""

import base64
import contextlib
import json
import math
import os
import sys

import numpy as np
from scipy import special


def tensor(value: dict) -> np.ndarray:
    """Returns a tensor of a case."""
    return np.frombuffer(base64.b64decode(value["data"]), dtype="<f4").reshape(value["shape"])


def activated(values: np.ndarray, case: dict) -> np.ndarray:
    values = values.astype(np.float64)
    return special.expit(values) if case.get("activation") == "sigmoid" else values


def comparable(values: np.ndarray) -> np.ndarray:
    """Values of which NaN is the lowest, below negative infinity."""
    return np.where(np.isnan(values), -np.inf, np.maximum(values.astype(np.float64), -1e300))


def softmax(values: np.ndarray) -> np.ndarray:
    """The softmax of each row, in which NaN has no share, and the greatest infinite numbers share everything."""
    clean = np.where(np.isnan(values), -np.inf, values.astype(np.float64))
    most = (clean == clean.max(axis=-1, keepdims=True)) & ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        shares = special.softmax(clean, axis=-1)
    return np.where(np.isfinite(shares), shares, most / most.sum(axis=-1, keepdims=True))


def margin_of(scores: np.ndarray, threshold: float) -> float:
    """The smallest difference that decides, among 32-bit scores without NaN."""
    scores = np.unique(scores[np.isfinite(scores)].astype(np.float64))
    return float(min([1.0, *np.diff(scores), *np.abs(scores - np.float32(threshold))]))


def ranked(scores: np.ndarray, threshold: float, top: int) -> list:
    """The indices of the scores that are high enough, best first."""
    order = np.argsort(-scores, kind="stable")
    return [int(index) for index in order if scores[index] >= np.float32(threshold)][:top]


# Points


def heatmaps(case: dict) -> dict:
    """Finds points as in MMPose, or as in PoseNet if there are offsets."""
    maps = tensor(case["tensor"])
    if case["layout"] == "channels-last":
        maps = np.moveaxis(maps, 2, 0)
    count, height, width = maps.shape
    if np.isnan(maps).all(axis=(1, 2)).any():
        return {"error": True}
    cells = comparable(maps).reshape(count, -1).argmax(axis=1)
    rows, columns = np.unravel_index(cells, (height, width))
    best = maps[np.arange(count), rows, columns]
    places = np.stack([columns, rows], axis=1).astype(np.float64)
    close = False
    if case["refine"] == "quarter":
        places += [quarter(maps[k], *map(int, places[k])) for k in range(count)]
    elif case["refine"] == "parabola":
        levels = np.log(np.maximum(activated(maps, case), 1e-10))
        for k in range(count):
            shift, is_close = parabola(levels[k], *map(int, places[k]))
            places[k] += shift
            close |= is_close
    sides, size = np.array([width, height]), np.array(case["input"], dtype=np.float64)
    scale = size / sides
    if case["refine"] == "offsets":
        # The size of a single cell doesn't matter.
        scale = (size - 1) / np.maximum(sides - 1, 1)
    if case["stride"] is not None:
        scale = np.full(2, np.float32(case["stride"]), dtype=np.float64)
    places *= scale
    if case["refine"] == "offsets":
        offsets = tensor(case["offsets"])
        if case["layout"] == "channels-last":
            offsets = np.moveaxis(offsets, 2, 0)
        shifts = offsets.reshape(2, count, height, width)[:, np.arange(count), rows, columns].astype(np.float64)
        places += np.where(np.isfinite(shifts), shifts, 0)[::-1].T
    scores = activated(best, case)
    return {"points": np.column_stack([places, scores]).tolist(), "margin": 0 if close else 1}


def quarter(scores: np.ndarray, x: int, y: int) -> list:
    height, width = scores.shape
    shift = [0.0, 0.0]
    if 1 < x < width - 1 and 0 < y < height:
        shift[0] = 0.25 * np.sign(float(scores[y, x + 1]) - float(scores[y, x - 1]))
    if 1 < y < height - 1 and 0 < x < width:
        shift[1] = 0.25 * np.sign(float(scores[y + 1, x]) - float(scores[y - 1, x]))
    return np.nan_to_num(shift).tolist()


def parabola(levels: np.ndarray, x: int, y: int) -> tuple:
    """One step of Newton's method from the logarithms of scores, and whether it could also be refused."""
    height, width = levels.shape
    if not (1 < x < width - 2 and 1 < y < height - 2):
        return np.zeros(2), False
    # np.gradient takes differences of the cells at both sides, so twice gives those at a distance of two.
    part = levels[y - 2 : y + 3, x - 2 : x + 3]
    down, across = np.gradient(part)
    hessian = np.array([[np.gradient(across, axis=1)[2, 2], np.gradient(across, axis=0)[2, 2]], [0, 0]])
    hessian[1] = [hessian[0, 1], np.gradient(down, axis=0)[2, 2]]
    if not np.isfinite(hessian).all() or not np.isfinite([across[2, 2], down[2, 2]]).all():
        return np.zeros(2), False
    curvature = np.linalg.eigvalsh(hessian)
    if abs(curvature[1]) < 1e-9:
        return np.zeros(2), True
    if curvature[1] > 0:
        return np.zeros(2), False
    shift = -np.linalg.solve(hessian, [across[2, 2], down[2, 2]])
    is_close = bool(np.any(np.abs(np.abs(shift) - 1) < 1e-6))
    return (shift if np.all(np.abs(shift) <= 1) else np.zeros(2)), is_close


def simcc(case: dict) -> dict:
    """Finds points from scores of columns and rows."""
    found = []
    for values in (tensor(case["tensor"]), tensor(case["y"])):
        if np.isnan(values).all(axis=1).any():
            return {"error": True}
        best = comparable(values).argmax(axis=1)
        found.append((best, values[np.arange(len(values)), best]))
    (columns, across), (rows, down) = found
    places = np.stack([columns, rows], axis=1) / np.float64(np.float32(case["split"]))
    scores = np.minimum(across, down)
    return {"points": np.column_stack([places, scores]).tolist(), "margin": 1}


def movenet(case: dict) -> dict:
    """Returns poses: rows of left, top, right, bottom, score, row in the tensor; and their points."""
    values, count = tensor(case["tensor"]).astype(np.float64), case["points"]
    if values.shape[-1] == 3:
        points = values.reshape(1, count, 3)[:, :, [1, 0, 2]]
        with np.errstate(invalid="ignore"):
            mean = points[:, :, 2].mean(axis=1)
        boxes = np.column_stack([points[:, :, :2].min(axis=1), points[:, :, :2].max(axis=1), mean])
    else:
        values = values.reshape(-1, 3 * count + 5)
        points = values[:, : 3 * count].reshape(-1, count, 3)[:, :, [1, 0, 2]]
        boxes = values[:, 3 * count :][:, [1, 0, 3, 2, 4]]
    usable = np.isfinite(points).all(axis=(1, 2)) & np.isfinite(boxes).all(axis=1)
    if not usable.any():
        return {"error": True}
    scores = np.where(usable, boxes[:, 4], -np.inf).astype(np.float32)
    kept = ranked(scores, case["threshold"], case["top"])
    return {
        "boxes": [[*boxes[index], index] for index in kept],
        "points": points[kept].reshape(-1, 3).tolist(),
        "margin": margin_of(scores, case["threshold"]),
    }


# Numbers


def embedding(case: dict) -> dict:
    """Normalizes a vector, and compares it with others."""
    # Imported here, because it takes longer than most cases.
    from sklearn import preprocessing
    from sklearn.metrics import pairwise

    vector, gallery = tensor(case["tensor"])[None].astype(np.float64), tensor(case["gallery"]).astype(np.float64)
    if not np.isfinite(vector).all():
        return {"error": True}
    cosines = pairwise.cosine_similarity(vector, gallery)[0].astype(np.float32)
    nearest = ranked(cosines, case["threshold"], case["top"])
    return {
        "vector": (preprocessing.normalize(vector) if case["normalize"] else vector)[0].tolist(),
        "indices": nearest,
        "scores": cosines[nearest].tolist(),
        "margin": margin_of(cosines, case["threshold"]),
    }


def depth(case: dict) -> dict:
    """Returns the range of a map, and the map from 0 to 1."""
    values = tensor(case["tensor"]).astype(np.float64)
    if np.isnan(values).all():
        return {"error": True}
    finite = np.ma.masked_invalid(values)
    if finite.mask.all():
        return {"values": [0, 0, *np.zeros(values.size)]}
    low, high = finite.min(), finite.max()
    shares = (finite - low) / (high - low if high > low else 1)
    shares = (shares if case["inverse"] else 1 - shares).filled(0)
    return {"values": [low, high, *shares.ravel()]}


def multi_label(case: dict) -> dict:
    """Chooses labels by their scores."""
    values = tensor(case["tensor"])
    if np.isnan(values).all():
        return {"error": True}
    scores = activated(values, case).astype(np.float32)
    order = ranked(np.where(np.isnan(scores), -np.inf, scores), case["threshold"], case["top"])
    return {"indices": order, "scores": scores[order].tolist(), "margin": margin_of(scores, case["threshold"])}


def binary(case: dict) -> dict:
    """Ranks two classes by the score of the second one."""
    value = tensor(case["tensor"]).astype(np.float64)
    if case["activation"] == "sigmoid":
        scores = special.expit(np.concatenate([-value, value]))
    else:
        scores = np.concatenate([1 - value, value])
    if not (scores.min() >= 0 and scores.max() <= 1):
        return {"error": True}
    scores = scores.astype(np.float32)
    order = ranked(scores, 0, 2)
    return {"indices": order, "scores": scores[order].tolist(), "margin": margin_of(scores, -1)}


def ordinal(case: dict) -> dict:
    """Returns the value of a rank, as in CORAL or as a mean."""
    logits, values = tensor(case["tensor"]).astype(np.float64), tensor(case["values"])
    if np.isnan(logits).all():
        return {"error": True}
    if case["form"] == "cumulative":
        # Not the probability above 0.5, because that of a small positive logit is rounded to 0.5.
        return {"values": [values[np.count_nonzero(logits > 0)]]}
    return {"values": [float(softmax(logits) @ values.astype(np.float64))]}


def regression(case: dict) -> dict:
    """Scales numbers."""
    values = tensor(case["tensor"]).astype(np.float64)
    if np.isnan(values).all():
        return {"error": True}
    with np.errstate(invalid="ignore"):
        return {"values": (values * tensor(case["scale"]) + tensor(case["bias"])).tolist()}


# Text


def ctc(case: dict) -> dict:
    """Reads text with TensorFlow; with NumPy if there is NaN."""
    scores, alphabet, blank = tensor(case["tensor"]), list(case["alphabet"]), case["blank"]
    if np.isnan(scores).all(axis=1).any():
        return {"error": True}
    scores = scores.astype(np.float64)
    with np.errstate(divide="ignore"):
        clipped = np.clip(np.nan_to_num(scores), 0, 1)
        logarithms = np.log(softmax(scores) if case["activation"] == "softmax" else clipped)
    if np.isfinite(scores).all():
        symbols, score = tensorflow_ctc(logarithms, blank)
    else:
        best = comparable(scores).argmax(axis=1)
        starts = np.concatenate([[True], best[1:] != best[:-1]])
        symbols = best[starts & (best != blank)].tolist()
        with np.errstate(invalid="ignore"):
            score = math.exp(logarithms[np.arange(len(best)), best].sum())
    if len(alphabet) < scores.shape[1]:
        alphabet.insert(blank, "")
    return {"text": "".join(alphabet[index] for index in symbols), "symbols": symbols, "score": score}


def tensorflow_ctc(logarithms: np.ndarray, blank: int) -> tuple:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    # Imported here, because it takes longer than all other cases.
    import tensorflow as tf

    decoded, negative_sum = tf.nn.ctc_greedy_decoder(
        logarithms[:, None], np.array([len(logarithms)], dtype=np.int32), blank_index=blank
    )
    return decoded[0].values.numpy().tolist(), math.exp(-float(negative_sum[0, 0]))


def tokens(case: dict) -> dict:
    """Reads tokens, and joins them as the Python libraries of tokenizers document it."""
    values, vocabulary = tensor(case["tensor"]), case["vocabulary"]
    score = None
    if case["scores"]:
        if np.isnan(values).all(axis=1).any():
            return {"error": True}
        indices = comparable(values).argmax(axis=1).tolist()
        shares = softmax(values) if case["activation"] == "softmax" else np.clip(np.nan_to_num(values), 0, 1)
        ends = [step for step, index in enumerate(indices) if vocabulary[index] == case["end"]]
        chosen = shares[np.arange(len(shares)), indices].astype(np.float64)
        score = float(chosen[: ends[0] + 1 if ends else None].prod())
    else:
        indices = [int(index) for index in values if index >= 0]
    words = [vocabulary[index] for index in indices]
    if case["end"] in words:
        words = words[: words.index(case["end"])]
    symbols = [vocabulary.index(word) for word in words if word not in case["skip"]]
    words = [word for word in words if word not in case["skip"]]
    if case["join"] == "wordpiece":
        text = " ".join(words).replace(" ##", "")
    elif case["join"] == "sentencepiece":
        text = "".join(words).replace("\u2581", " ").lstrip(" ")
    else:
        text = case["join"].join(words)
    return {"text": text, "symbols": symbols, "score": score}


KINDS = {
    "heatmaps": heatmaps,
    "simcc": simcc,
    "movenet": movenet,
    "embedding": embedding,
    "depth": depth,
    "binary": binary,
    "multi-label": multi_label,
    "ordinal": ordinal,
    "regression": regression,
    "ctc": ctc,
    "tokens": tokens,
}


def finite(value: object) -> object:
    """Replaces numbers that JSON doesn't have."""
    if isinstance(value, dict):
        return {key: finite(element) for key, element in value.items()}
    if isinstance(value, list):
        return [finite(element) for element in value]
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else None
    return value


def main() -> None:
    """Decodes all cases from standard input."""
    cases = json.load(sys.stdin)
    with contextlib.redirect_stdout(sys.stderr):
        results = [finite(KINDS[case["kind"]](case)) for case in cases]
    json.dump(results, sys.stdout, default=float)


if __name__ == "__main__":
    main()
