# TensorIO for Swift
# Copyright TensorIO authors
# Licensed under the Apache License 2.0
# SPDX-License-Identifier: Apache-2.0
"""The parts of make_digits.py."""
