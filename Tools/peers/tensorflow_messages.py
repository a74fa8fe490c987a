# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Makes TensorFlow's protocol buffers available without the rest of TensorFlow, whose import takes seconds.

    import tensorflow_messages
    from tensorflow.core.protobuf import config_pb2

Import this in a program that uses nothing else of TensorFlow: `import tensorflow` then gives an empty package.
"""

import importlib.util
import sys
import types

_package = types.ModuleType("tensorflow")
_package.__path__ = list(importlib.util.find_spec("tensorflow").submodule_search_locations)
sys.modules["tensorflow"] = _package
