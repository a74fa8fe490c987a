# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Metrics of class maps and segments with scikit-learn and NumPy, for metrics.py."""

from pathlib import Path

import numpy as np
from PIL import Image
from sklearn import metrics


def segmentation(case: dict) -> dict:
    """Computes metrics from masks and maps of any size, and writes the masks as PNG files to the named folder."""
    truths, said = [], []
    for index, picture in enumerate(case["images"]):
        mask = np.array(picture["mask"], dtype=np.uint8)
        _write_mask(Path(case["folder"]) / f"{index}.png", mask, picture["mode"])
        counts = mask != case["ignored"]
        truths.append(mask[counts].astype(int) + case["label_offset"])
        if picture.get("map") is None:
            said.append(np.full(counts.sum(), -1000))
            continue
        image = Image.fromarray(np.array(picture["map"], dtype=np.uint8))
        said.append(np.array(image.resize(mask.shape[::-1], Image.NEAREST))[counts].astype(int))
    truth, prediction = np.concatenate(truths), np.concatenate(said)
    if not len(truth):
        return {}
    labels = sorted((set(truth.tolist()) | set(prediction.tolist())) - {-1000})
    shares = metrics.jaccard_score(truth, prediction, labels=labels, average=None, zero_division=0)
    return {
        "mean_iou": shares.mean(),
        "pixel_accuracy": metrics.accuracy_score(truth, prediction),
    } | {f"class.{label}.iou": share for label, share in zip(labels, shares)}


def _write_mask(path: Path, mask: np.ndarray, mode: str) -> None:
    image = Image.fromarray(mask)
    if mode == "palette":
        image = Image.fromarray(mask, mode="P")
        image.putpalette(np.random.default_rng(0).integers(0, 256, 768).tolist())
    image.save(path, bits=8)


def panoptic(case: dict) -> dict:
    """Computes panoptic quality from its definition: it compares every true segment with every predicted one.

    It writes the true segments as PNG files to the named folder. A prediction has a class for each pixel, in a map
    that is stretched, or -1, and objects as class and mask, the best last.
    """
    classes = case["classes"]
    sums = {item["name"]: np.zeros(4) for item in classes}
    for index, picture in enumerate(case["images"]):
        truth = np.array(picture["truth"])
        colours = np.stack([truth & 255, truth >> 8 & 255, truth >> 16], axis=-1).astype(np.uint8)
        Image.fromarray(colours).save(Path(case["folder"]) / f"{index}.png")
        said, owners = _predicted_segments(picture, classes, truth.shape)
        matched_truths, matched = set(), set()
        for left in picture["segments"]:
            for right, owner in owners.items():
                if left["crowd"] or left["class"] != owner:
                    continue
                inside, other = truth == left["id"], said == right
                union = (inside | (other & (truth != 0))).sum()
                share = (inside & other).sum() / union if union else 0
                if share > 0.5:
                    sums[classes[owner]["name"]] += [share, 1, 0, 0]
                    matched_truths.add(left["id"])
                    matched.add(right)
        crowds = {left["class"]: left["id"] for left in picture["segments"] if left["crowd"]}
        for left in picture["segments"]:
            if not left["crowd"] and left["id"] not in matched_truths:
                sums[classes[left["class"]]["name"]][3] += 1
        for right, owner in owners.items():
            other = said == right
            ignored = (truth == 0) | (truth == crowds.get(owner, 0))
            if right not in matched and other.any() and (other & ignored).sum() / other.sum() <= 0.5:
                sums[classes[owner]["name"]][2] += 1
    found = {}
    for name, (overlap, hits, extra, missed) in sums.items():
        if size := hits + extra / 2 + missed / 2:
            found[f"class.{name}.pq"] = overlap / size
            found[f"class.{name}.sq"] = overlap / hits if hits else 0
            found[f"class.{name}.rq"] = hits / size
    groups = {"pq_things": [c["name"] for c in classes if c["thing"]]}
    groups["pq_stuff"] = [c["name"] for c in classes if not c["thing"]]
    groups |= {key: list(sums) for key in ("pq", "sq", "rq")}
    for key, names in groups.items():
        values = [found[f"class.{name}.{key[:2]}"] for name in names if f"class.{name}.pq" in found]
        found[key] = np.mean(values) if values else None
    return found


def _predicted_segments(picture: dict, classes: list, shape: tuple) -> tuple:
    """Returns the number of each pixel's segment, and the class of each segment."""
    said, owners = np.zeros(shape, dtype=int), {}
    if picture.get("map") is not None:
        stretched = Image.fromarray(np.array(picture["map"], dtype=np.int32) + 1)
        numbers = np.array(stretched.resize(shape[::-1], Image.NEAREST)) - 1
        for owner, item in enumerate(classes):
            if not (picture.get("objects") and item["thing"]):
                owners[len(owners) + 1] = owner
                said[numbers == owner] = len(owners)
    for item in picture.get("objects") or []:
        owners[len(owners) + 1] = item["class"]
        said[np.array(item["mask"], dtype=bool)] = len(owners)
    return said, owners
