# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Runs the models of TensorIO's bundles from Python.

``Model`` runs a model in a process of the program ``tensorio``, with the preprocessing and the labels of
its bundle. ``preprocess`` returns what a model would get, for training in Python::

    import tensorio

    with tensorio.Model("digits.tiobundle") as model:
        for result in model.map(["1.png", "2.png"]):
            print(result.item, result.value["classification"])
"""

from __future__ import annotations

from ._errors import Error, ItemError, WorkerEnded
from ._hosted import HostedModel
from ._model import Model
from ._preprocess import preprocess
from ._results import Result
from ._zipped import ZippedModel

__all__ = ["Error", "HostedModel", "ItemError", "Model", "Result", "WorkerEnded", "ZippedModel", "preprocess"]
