# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Reads a folder of runs with TensorBoard, and prints each scalar's steps and values as JSON.

    read_events.py LOGS
"""

import json
import os
import sys
import types

# TensorBoard then reads the files itself. TensorFlow would read them too, but its import takes seconds.
sys.modules["tensorboard.compat.notf"] = types.ModuleType("notf")
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

result = {}
for run in sorted(os.listdir(sys.argv[1])):
    events = EventAccumulator(os.path.join(sys.argv[1], run), size_guidance={"scalars": 0})
    events.Reload()
    result[run] = {
        tag: [[event.step, event.value] for event in events.Scalars(tag)] for tag in events.Tags()["scalars"]}
print(json.dumps(result))
