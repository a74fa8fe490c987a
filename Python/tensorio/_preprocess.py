# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""What a model would get for an item, without a model object."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING

from ._model import Model, Path

if TYPE_CHECKING:
    from ._arrays import Array


def preprocess(bundle: Path, item: object) -> Array:
    """Returns the tensor that the model of a bundle would get for an item, such as an image.

    The worker of each bundle stays until this process ends, so that more calls are fast. A bundle whose
    ``model.json`` changes gets another worker.

    Args:
        bundle: The path of a bundle with one input.
        item: An item, as ``Model`` takes them.

    Raises:
        ValueError: The model has several inputs.
        ItemError: The item can't be preprocessed.
        WorkerEnded: The worker ended.
        Error: The worker can't be started.
    """
    path = os.path.abspath(os.fspath(bundle))
    return _model(path, _modified(path)).preprocess(item)


@functools.lru_cache(maxsize=8)
def _model(path: str, modified: int) -> Model:
    return Model(path)


def _modified(path: str) -> int:
    """Returns when a bundle's description changed; 0 if it is missing, which the worker reports."""
    try:
        return os.stat(os.path.join(path, "model.json")).st_mtime_ns
    except OSError:
        return 0
