# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Metrics of detections and keypoints with pycocotools, for metrics.py."""

import contextlib
import io

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

COCO_NAMES = [
    *["ap", "ap50", "ap75", "ap_small", "ap_medium", "ap_large"],
    *["ar1", "ar10", "ar100", "ar_small", "ar_medium", "ar_large"],
]
OKS_NAMES = [
    *["oks_ap", "oks_ap50", "oks_ap75", "oks_ap_medium", "oks_ap_large"],
    *["oks_ar", "oks_ar50", "oks_ar75", "oks_ar_medium", "oks_ar_large"],
]


def detection(case: dict) -> dict:
    """Computes metrics from objects and detections for each image."""
    labels = list(case["labels"])
    truths, found = [], []
    for image, picture in enumerate(case["images"], 1):
        for item in picture["objects"]:
            if item["label"] not in labels:
                labels.append(item["label"])
            truths.append(
                {
                    "id": len(truths) + 1,
                    "image_id": image,
                    "category_id": labels.index(item["label"]) + 1,
                    "bbox": item["box"],
                    "area": item.get("area") or item["box"][2] * item["box"][3],
                    "iscrowd": int(item["crowd"]),
                }
            )
        size = [picture["width"], picture["height"]] * 2
        found += [
            {
                "image_id": image,
                "category_id": item["class"] + 1,
                "bbox": [share * side for share, side in zip(item["box"], size)],
                "score": item["score"],
            }
            for item in picture.get("detections") or []
        ]
    dataset = {
        "info": {},
        "images": [{"id": image + 1} for image in range(len(case["images"]))],
        "categories": [{"id": number + 1} for number in range(len(labels))],
    }
    with contextlib.redirect_stdout(io.StringIO()):
        evaluation = COCOeval(_coco(dataset, truths), _found(dataset, truths, found), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    values = dict(zip(COCO_NAMES, evaluation.stats))
    for place, label in enumerate(labels):
        precision = evaluation.eval["precision"][:, :, place, 0, 2]
        if np.all(precision > -1):
            values[f"class.{label}.ap"] = precision.mean()
            values[f"class.{label}.ap50"] = precision[0].mean()
            values[f"class.{label}.ar100"] = evaluation.eval["recall"][:, place, 0, 2].mean()
    return {name: None if value == -1 else value for name, value in values.items()}


def detection_confusion(case: dict) -> dict:
    """Counts objects and detections for each pair of a true and a predicted class."""
    counts: dict = {}

    def count(row: str, column: str) -> None:
        counts[f"{row} > {column}"] = counts.get(f"{row} > {column}", 0) + 1

    for picture in case["images"]:
        objects = picture["objects"]
        crowds = [item for item in objects if item["crowd"]]
        free = [item for item in objects if not item["crowd"]]
        if picture.get("detections") is None:
            for item in free:
                counts[item["label"] + " failed"] = counts.get(item["label"] + " failed", 0) + 1
            continue
        size = np.array([picture["width"], picture["height"]] * 2)
        # COCO keeps a hundred detections of a class.
        ranked, kept = sorted(picture["detections"], key=lambda item: -item["score"]), {}
        for item in ranked:
            kept.setdefault(item["class"], []).append(item)
        ranked = [item for item in ranked if any(item is each for each in kept[item["class"]][:100])]
        for item in ranked:
            if item["score"] < 0.25:
                continue
            label = case["labels"][item["class"]]
            box = np.array(item["box"]) * size
            shares = [(_overlap(box, each["box"]), each["label"] == label) for each in free]
            best = max(range(len(free)), key=lambda place: shares[place], default=None)
            if best is not None and shares[best][0] >= 0.5:
                count(free.pop(best)["label"], label)
            elif not any(
                each["label"] == label and _overlap(box, each["box"], own=True) >= 0.5 for each in crowds
            ):
                count("background", label)
        for item in free:
            count(item["label"], "background")
    return counts


def _overlap(box: np.ndarray, other: list, own: bool = False) -> float:
    """The intersection over union, or over the first box's area."""
    sides = [
        min(box[axis] + box[axis + 2], other[axis] + other[axis + 2]) - max(box[axis], other[axis])
        for axis in (0, 1)
    ]
    if min(sides) <= 0:
        return 0
    both, area = sides[0] * sides[1], box[2] * box[3]
    return both / (area if own else area + other[2] * other[3] - both)


def keypoints(case: dict) -> dict:
    """Computes metrics from objects and detections with keypoints for each image, all of one class."""
    truths, found = [], []
    for image, picture in enumerate(case["images"], 1):
        truths += [
            {
                "id": len(truths) + index,
                "image_id": image,
                "category_id": 1,
                "bbox": item["box"],
                "area": item["area"],
                "iscrowd": int(item["crowd"]),
                "keypoints": item["points"],
                "num_keypoints": sum(v > 0 for v in item["points"][2::3]),
            }
            for index, item in enumerate(picture["objects"], 1)
        ]
        size = np.array([picture["width"], picture["height"], 1])
        found += [
            {
                "image_id": image,
                "category_id": 1,
                "score": item["score"],
                "keypoints": (np.reshape(item["points"], (-1, 3)) * size).ravel().tolist(),
            }
            for item in picture.get("detections") or []
        ]
    dataset = {
        "info": {},
        "images": [{"id": image + 1} for image in range(len(case["images"]))],
        "categories": [{"id": 1}],
    }
    with contextlib.redirect_stdout(io.StringIO()):
        evaluation = COCOeval(_coco(dataset, truths), _found(dataset, truths, found), "keypoints")
        if case["points"] != 17:
            evaluation.params.kpt_oks_sigmas = np.ones(case["points"]) / case["points"]
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    values = {name: None if value == -1 else value for name, value in zip(OKS_NAMES, evaluation.stats)}
    return values | _correct_points(evaluation, case["points"])


def _correct_points(evaluation: COCOeval, count: int) -> dict:
    limits = {"pck05": 0.05, "pck10": 0.1, "pck20": 0.2}
    right = {name: np.zeros(count) for name in limits}
    labelled = np.zeros(count)
    for image in evaluation.params.imgIds:
        objects, detections = evaluation._gts[image, 1], evaluation._dts[image, 1]
        detections = sorted(detections, key=lambda item: -item["score"])[:20]
        shares = np.array(evaluation.ious[image, 1]).reshape(len(detections), len(objects))
        used = {index for index, item in enumerate(objects) if item["ignore"]}
        for index in set(range(len(objects))) - used:
            labelled += np.array(objects[index]["keypoints"][2::3]) > 0
        while shares.size and len(used) < len(objects):
            shares[:, list(used)] = -1
            best = np.argwhere(shares == shares.max())[0]
            if shares[tuple(best)] < 0:
                break
            detection, index = best
            shares[detection] = -1
            used.add(int(index))
            truth = np.reshape(objects[index]["keypoints"], (-1, 3))
            said = np.reshape(detections[detection]["keypoints"], (-1, 3))
            distances = np.linalg.norm(truth[:, :2] - said[:, :2], axis=1)
            for name, limit in limits.items():
                right[name] += (truth[:, 2] > 0) & (distances <= limit * max(objects[index]["bbox"][2:]))
    found = {}
    for name in limits:
        found[name] = right[name].sum() / labelled.sum() if labelled.any() else None
        for index in range(count):
            found[f"class.{index}.{name}"] = right[name][index] / labelled[index] if labelled[index] else None
    return found


def _coco(dataset: dict, annotations: list) -> COCO:
    coco = COCO()
    coco.dataset = dataset | {"annotations": annotations}
    coco.createIndex()
    return coco


def _found(dataset: dict, truths: list, found: list) -> COCO:
    # loadRes determines the kind of detections from the first one.
    return _coco(dataset, truths).loadRes(found) if found else _coco(dataset, [])
