# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Writes the tiny SavedModels that the tests run, and the goldens to compare their outputs with.

    python Tools/make_saved_models.py [--only NAME...]

Needs Tools/requirements.txt. Models go to Tests/Fixtures/SavedModels, one folder a function of
fixtures/saved_models. The same versions of the tools write the same bytes again.
"""

import argparse
import json
import multiprocessing
import os
import re
import warnings
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
warnings.filterwarnings("ignore", module="tensorflow")

import tensorflow as tf  # noqa: E402

from fixtures.saved_models import modules, odd, plain, training, writing  # noqa: E402
from fixtures.saved_models.cases import CASES, REFUSALS, Case, Refusal  # noqa: E402
from fixtures.saved_models.running import arrays, described, loaded  # noqa: E402
from fixtures.saved_models.table import write_table  # noqa: E402

tf.get_logger().setLevel("ERROR")

FOLDER = Path(__file__).resolve().parent.parent / "Tests" / "Fixtures" / "SavedModels"
MAKERS = {**plain.MAKERS, **odd.MAKERS, **modules.MAKERS, **training.MAKERS}


def make(name: str) -> None:
    """Writes one model."""
    writing.write(FOLDER / name, MAKERS[name])


def golden(case: Case) -> dict:
    """Runs a case and describes it for expected.json."""
    with loaded(FOLDER / case.model, list(case.tags)) as session:
        feeds = arrays(session, case.feeds)
        if case.targets:
            session.run([session.graph.get_operation_by_name(name) for name in case.targets], feeds)
        results = session.run(case.fetches, feeds)
    row = {"model": case.model, "tags": list(case.tags)}
    if case.targets:
        row["targets"] = list(case.targets)
    row["tolerance"] = case.tolerance
    row["inputs"] = {name: described(value) for name, value in feeds.items()}
    row["outputs"] = {name: described(value) for name, value in zip(case.fetches, results)}
    return row


def refused(refusal: Refusal) -> dict:
    """Checks that Python refuses the model, too, and returns the step at which it does."""
    step = "load"
    try:
        with loaded(FOLDER / refusal.model, list(refusal.tags)) as session:
            step = "run"
            session.run(list(refusal.fetches), arrays(session, refusal.feeds))
    except (tf.errors.OpError, RuntimeError, ValueError) as error:
        if step == refusal.step:
            return {
                "model": refusal.model,
                "tags": list(refusal.tags),
                "step": step,
                "python": type(error).__name__,
                "inputs": sorted(refusal.feeds),
                "outputs": list(refusal.fetches),
            }
        raise
    raise SystemExit(f"error: {refusal.model} runs")


def series(model: str, feeds: dict) -> dict:
    """Returns the loss after each step, read in a separate run before the next step."""
    with loaded(FOLDER / model, ["train"]) as session:
        values = arrays(session, feeds)
        train = session.graph.get_operation_by_name("train")
        losses = []
        for _ in range(training.STEPS):
            session.run(train, values)
            losses.append(session.run("loss:0", values).item())
    return {
        "model": model,
        "tags": ["train"],
        "targets": ["train"],
        "inputs": {name: described(value) for name, value in values.items()},
        "output": "loss:0",
        "losses": losses,
    }


def write_json(path: Path, document: dict) -> None:
    """Writes arrays of numbers and texts on one line each."""
    text = json.dumps(document, indent=2)
    flat = re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda found: _one_line(found[1]), text)
    path.write_text(flat + "\n")


def _one_line(items: str) -> str:
    return "[" + ", ".join(item.strip() for item in items.split(",\n")) + "]"


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="these models only")
    chosen = parser.parse_args().only
    FOLDER.mkdir(parents=True, exist_ok=True)
    names = [name for name in MAKERS if not chosen or name in chosen]
    for name in names:
        if name not in modules.MAKERS:
            make(name)
    # Functions are numbered throughout a process, so each of these models gets its own process.
    context = multiprocessing.get_context("spawn")
    for name in names:
        if name in modules.MAKERS:
            process = context.Process(target=make, args=[name])
            process.start()
            process.join()
            if process.exitcode != 0:
                raise SystemExit(f"error: {name} could not be made")

    versions = {"tensorflow": tf.__version__}
    write_json(
        FOLDER / "expected.json",
        {
            "versions": versions,
            "cases": [golden(case) for case in CASES],
            "refusals": [refused(refusal) for refusal in REFUSALS],
        },
    )
    write_json(
        FOLDER / "training.json",
        {"versions": versions, "series": [series(*each) for each in training.SERIES]},
    )
    write_table(FOLDER, MAKERS)


if __name__ == "__main__":
    main()
