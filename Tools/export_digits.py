# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Writes all digits as images for training and testing, in one folder for each digit.

    python Tools/export_digits.py FOLDER

This needs Tools/requirements-models.txt. FOLDER/training holds the 1437 images of which Demo/digits-training is
a part, and FOLDER/held-out holds the other 360.
"""

import argparse
from pathlib import Path

from digits import pictures


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    train_ink, test_ink, train_digits, test_digits = pictures.split(pictures.SEED)
    pictures.write_folders(folder / "training", train_ink, train_digits)
    pictures.write_folders(folder / "held-out", test_ink, test_digits)


if __name__ == "__main__":
    main()
