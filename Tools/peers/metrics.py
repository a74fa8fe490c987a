# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Computes metrics with scikit-learn, SciPy and pycocotools.

    metrics.py < CASES.json

Reads an array of cases, each with a `kind`, and prints an array of objects with numbers by name, or null if a
number isn't defined. Failed images have null instead of a prediction.
"""

import json
import sys
import warnings

import numpy as np
from scipy import stats
from sklearn import metrics

from metrics_of_maps import panoptic, segmentation
from metrics_of_objects import detection, detection_confusion, keypoints

FAILED = "\0failed"
RETRIEVAL_NAMES = ["retrieval_map", *[f"{name}_at_{k}" for name in ("hit", "recall") for k in (1, 5, 10)]]


def classification(case: dict) -> dict:
    """Computes metrics from labels and scores, by the names of the classes."""
    names = case["labels"]
    offset = case["label_offset"]
    truths = [_class_name(truth, names, offset) for truth in case["truths"]]
    scores = [None if row is None else np.array(row, dtype=np.float64) for row in case["scores"]]
    orders = [None if row is None else np.argsort(-row, kind="stable") for row in scores]
    said = [FAILED if order is None else names[order[0]] for order in orders]
    found = {}
    for k in {1, case["top_k"]}:
        hits = [
            order is not None and truth in [names[index] for index in order[:k]]
            for truth, order in zip(truths, orders)
        ]
        found[f"top{k}"] = np.mean(hits)
        interval = stats.binomtest(sum(hits), len(hits)).proportion_ci(method="wilson")
        found[f"top{k}.lower"], found[f"top{k}.upper"] = interval
    found |= _averages(truths, said)
    answered = [index for index, row in enumerate(scores) if row is not None]
    sums = np.array([scores[index].sum() for index in answered])
    is_distribution = np.all(np.abs(sums - 1) <= 1e-3)
    if answered and is_distribution:
        found["ece"] = _calibration_error(
            np.array([scores[i].max() / scores[i].sum() for i in answered]),
            np.array([said[i] == truths[i] for i in answered]),
        )
    used = [index for index in answered if truths[index] in names]
    if not used:
        return found
    numbers = np.array([names.index(truths[index]) for index in used])
    rows = np.array([scores[index] for index in used])
    if is_distribution:
        found |= _probabilities(numbers, rows)
    found |= _curves(numbers, rows)
    return found


def _class_name(label: str, names: list, offset: int) -> str:
    if label in names:
        return label
    try:
        index = int(label) + offset
    except ValueError:
        return label
    return names[index] if 0 <= index < len(names) else label


def _averages(truths: list, said: list) -> dict:
    labels = sorted((set(truths) | set(said)) - {FAILED})
    found = {"balanced_accuracy": metrics.balanced_accuracy_score(truths, said)}
    for average in ["macro", "micro", "weighted"]:
        values = metrics.precision_recall_fscore_support(
            truths, said, labels=labels, average=average, zero_division=0
        )
        for name, value in zip(["precision", "recall", "f1"], values):
            found[f"{average}_{name}"] = value
    each = metrics.precision_recall_fscore_support(
        truths, said, labels=labels, average=None, zero_division=0
    )
    for row, label in enumerate(labels):
        for name, values in zip(["precision", "recall", "f1", "support"], each):
            found[f"class.{label}.{name}"] = float(values[row])
    matrix = metrics.confusion_matrix(truths, said, labels=labels)
    for row, label in enumerate(labels):
        for column, other in enumerate(labels):
            found[f"confusion.{label}.{other}"] = float(matrix[row, column])
    return found


def _probabilities(numbers: np.ndarray, rows: np.ndarray) -> dict:
    rows = rows / rows.sum(axis=1, keepdims=True)
    if rows.shape[1] < 2:
        return {"log_loss": 0}
    loss = metrics.log_loss(numbers, rows, labels=range(rows.shape[1]))
    shares = rows[np.arange(len(rows)), numbers]
    epsilon = np.finfo(np.float64).eps
    losses = -np.log(np.clip(shares, epsilon, 1 - epsilon))
    found = {"log_loss": loss}
    if len(losses) > 1:
        half = stats.norm.ppf(0.975) * stats.sem(losses)
        if half > 0:
            found |= {"log_loss.lower": max(loss - half, 0), "log_loss.upper": loss + half}
    return found


def _calibration_error(confidence: np.ndarray, right: np.ndarray) -> float:
    edges = np.linspace(0, 1, 16)
    error = 0.0
    for lower, upper in zip(edges[:-1], edges[1:]):
        inside = (confidence > lower) & (confidence <= upper)
        if lower == 0:
            inside |= confidence == 0
        if inside.any():
            error += inside.mean() * abs(right[inside].mean() - confidence[inside].mean())
    return error


def _curves(numbers: np.ndarray, rows: np.ndarray) -> dict:
    classes = rows.shape[1]
    present = [c for c in range(classes) if np.any(numbers == c)]
    if classes == 2:
        found = {"roc_auc": None, "average_precision": None}
        if 1 in present:
            found["average_precision"] = metrics.average_precision_score(numbers == 1, rows[:, 1])
        if len(present) == 2:
            found["roc_auc"] = metrics.roc_auc_score(numbers, rows[:, 1])
            found |= _delong(rows[numbers == 1, 1], rows[numbers == 0, 1])
        return found
    areas = [
        metrics.roc_auc_score(numbers == c, rows[:, c])
        for c in present
        if np.any(numbers != c)
    ]
    precisions = [metrics.average_precision_score(numbers == c, rows[:, c]) for c in present]
    found = {
        "roc_auc": np.mean(areas) if areas else None,
        "average_precision": np.mean(precisions),
    }
    sums = rows.sum(axis=1)
    if len(present) == classes and classes > 2 and np.all(np.abs(sums - 1) < 1e-8):
        whole = metrics.roc_auc_score(numbers, rows, multi_class="ovr", average="macro")
        assert abs(whole - found["roc_auc"]) < 1e-12
    return found


def _delong(positives: np.ndarray, negatives: np.ndarray) -> dict:
    """Returns the variance as defined in the paper, over every pair of images."""
    if len(positives) < 2 or len(negatives) < 2:
        return {}
    wins = (positives[:, None] > negatives) + 0.5 * (positives[:, None] == negatives)
    variance = wins.mean(axis=1).var(ddof=1) / len(positives)
    variance += wins.mean(axis=0).var(ddof=1) / len(negatives)
    half = stats.norm.ppf(0.975) * np.sqrt(variance)
    if half == 0:
        return {}
    return {
        "roc_auc.lower": max(wins.mean() - half, 0),
        "roc_auc.upper": min(wins.mean() + half, 1),
    }


def _each(score):
    """Makes a score of several outputs from one of a single output. Constant numbers have no correlation."""

    def of_outputs(truths, predictions, multioutput="uniform_average"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            values = [score(truths[:, i], predictions[:, i]) for i in range(truths.shape[1])]
        values = [None if np.isnan(value) else value for value in values]
        if multioutput == "raw_values":
            return values
        return None if None in values else float(np.mean(values))

    return of_outputs


def regression(case: dict) -> dict:
    """Computes metrics from arrays of numbers for each image."""
    used = [i for i, row in enumerate(case["predictions"]) if row is not None]
    if not used:
        return {}
    truths = np.array([case["truths"][i] for i in used])
    predictions = np.array([case["predictions"][i] for i in used])
    found = {}
    scores = {
        "mae": metrics.mean_absolute_error,
        "rmse": metrics.root_mean_squared_error,
        "r2": metrics.r2_score,
        "median_absolute_error": metrics.median_absolute_error,
        "max_error": _each(metrics.max_error),
        "mape": metrics.mean_absolute_percentage_error,
        "explained_variance": metrics.explained_variance_score,
        "pearson": _each(lambda truth, said: stats.pearsonr(truth, said).statistic),
        "spearman": _each(lambda truth, said: stats.spearmanr(truth, said).statistic),
    }
    for name, score in scores.items():
        if name in ("r2", "pearson", "spearman") and len(used) < 2:
            continue
        found[name] = score(truths, predictions)
        for output, value in enumerate(score(truths, predictions, multioutput="raw_values")):
            found[f"class.{output}.{name}"] = value
    if len(used) > 1:
        errors = np.abs(truths - predictions).mean(axis=1)
        half = stats.norm.ppf(0.975) * stats.sem(errors)
        if half > 0:
            found |= {"mae.lower": found["mae"] - half, "mae.upper": found["mae"] + half}
    return found


def anomaly(case: dict) -> dict:
    """Computes areas under ROC curves, of all samples and of each machine."""
    rows = [row for row in case["rows"] if row[2] is not None]
    truths, scores = np.array([row[0] for row in rows]), np.array([row[2] for row in rows])
    machines = np.array([row[1] for row in rows])
    found = {}
    areas = []
    for name in [None, *sorted(set(machines.tolist()))]:
        chosen = np.ones(len(rows), dtype=bool) if name is None else machines == name
        pair = (None, None)
        if len(set(truths[chosen].tolist())) == 2:
            pair = tuple(
                metrics.roc_auc_score(truths[chosen], scores[chosen], max_fpr=limit)
                for limit in (None, 0.1)
            )
            if name is not None:
                areas.append(pair)
        if name is None:
            found["anomaly_auc"], found["anomaly_pauc"] = pair
        else:
            found[f"class.{name}.auc"], found[f"class.{name}.pauc"] = pair
    for index, name in enumerate(["machine_auc", "machine_pauc"]):
        found[name] = np.mean([pair[index] for pair in areas]) if areas else None
    return found


def retrieval(case: dict) -> dict:
    """Computes the means over queries, each of which is one of the vectors."""
    kept = [index for index, vector in enumerate(case["vectors"]) if vector is not None]
    labels = np.array(case["labels"])[kept]
    vectors = np.array([case["vectors"][index] for index in kept], dtype=np.float64)
    cosines = metrics.pairwise.cosine_similarity(vectors) if len(kept) else np.zeros((0, 0))
    rows = []
    for query, label in enumerate(case["labels"]):
        if query not in kept:
            if np.any(labels == label):
                rows.append({name: 0 for name in RETRIEVAL_NAMES} | {"label": label})
            continue
        own = kept.index(query)
        order = [index for index in np.argsort(-cosines[own], kind="stable") if index != own]
        hits = labels[order] == label
        if not hits.any():
            continue
        row = {"label": label, "retrieval_map": metrics.average_precision_score(hits, -np.arange(len(hits)))}
        for k in 1, 5, 10:
            row[f"hit_at_{k}"] = float(hits[:k].any())
            row[f"recall_at_{k}"] = hits[:k].sum() / hits.sum()
        rows.append(row)
    if not rows:
        return {}
    found = {name: np.mean([row[name] for row in rows]) for name in RETRIEVAL_NAMES}
    for label in {row["label"] for row in rows}:
        for name in "hit_at_1", "retrieval_map":
            found[f"class.{label}.{name}"] = np.mean([row[name] for row in rows if row["label"] == label])
    return found


def text(case: dict) -> dict:
    """Computes error rates of all texts together."""
    found = {}
    for name, split in {"wer": str.split, "cer": lambda whole: list(whole.strip())}.items():
        pairs = [(split(truth), split(said or "")) for truth, said in zip(case["truths"], case["predictions"])]
        if total := sum(len(truth) for truth, _ in pairs):
            found[name] = sum(_edits(truth, said) for truth, said in pairs) / total
    exact = [truth.strip() == (said or "").strip() for truth, said in zip(case["truths"], case["predictions"])]
    found["exact_match"] = float(np.mean(exact))
    return found


def _edits(truth: list, said: list) -> int:
    """The Levenshtein distance."""
    table = np.zeros((len(truth) + 1, len(said) + 1), dtype=int)
    table[:, 0], table[0] = range(len(truth) + 1), range(len(said) + 1)
    for row in range(1, len(truth) + 1):
        for column in range(1, len(said) + 1):
            table[row, column] = min(
                table[row - 1, column] + 1,
                table[row, column - 1] + 1,
                table[row - 1, column - 1] + (truth[row - 1] != said[column - 1]),
            )
    return int(table[-1, -1])


KINDS = {
    "anomaly": anomaly,
    "classification": classification,
    "regression": regression,
    "segmentation": segmentation,
    "detection": detection,
    "detection_confusion": detection_confusion,
    "panoptic": panoptic,
    "keypoints": keypoints,
    "text": text,
    "retrieval": retrieval,
}


def main() -> None:
    """Computes all cases from standard input."""
    warnings.simplefilter("ignore")
    results = [KINDS[case["kind"]](case) for case in json.load(sys.stdin)]
    json.dump(results, sys.stdout, default=float)


if __name__ == "__main__":
    main()
