# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Tests of setup.sh, with stand-ins for its commands that log what they are asked for.

    python3 -m unittest discover Scripts
"""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SETUP = Path(__file__).with_name("setup.sh")

STANDINS = {
    "swift": "echo 'Swift version 6.2'",
    # On macOS, setup.sh installs no packages.
    "uname": "echo Darwin",
    # This replaces Python. $HAVE lists the installed libraries.
    "python": """
case "$1" in
  -c) exit 0 ;;
esac
shift
if [ "$1" = --check ]; then
  case " $HAVE " in *" $2 "*) exit 0 ;; esac
  exit 1
fi
echo "$*" >>"$LOG"
""",
}


class SetupTests(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        for name, body in STANDINS.items():
            path = self.root / name
            path.write_text(f"#!/bin/sh\n{body}\n")
            path.chmod(0o755)
        self.log = self.root / "log"

    def run_setup(self, *options, have="", **variables):
        """Returns the result and the libraries that were fetched."""
        self.log.write_text("")
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("TENSORIO_")
        }
        environment.update(
            PATH=f"{self.root}:{os.environ['PATH']}", PYTHON=str(self.root / "python"),
            LOG=str(self.log), HAVE=have, **variables)
        result = subprocess.run(
            ["bash", str(SETUP), *options], env=environment, capture_output=True, text=True)
        return result, self.log.read_text().split()

    def test_tensorflow_is_fetched_only_when_asked_for(self):
        for options, fetched in (
            ([], ["litert"]),
            (["--tensorflow"], ["litert", "tensorflow"]),
        ):
            with self.subTest(options):
                result, found = self.run_setup(*options)
                self.assertEqual((result.returncode, found), (0, fetched))
                self.assertEqual(result.stdout, "")

    def test_the_size_is_told_before_it_is_downloaded(self):
        result, _ = self.run_setup("--tensorflow", have="litert")
        self.assertIn("270 MB", result.stderr)

    def test_nothing_missing_is_nothing_said(self):
        result, fetched = self.run_setup("--tensorflow", have="litert tensorflow")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        self.assertEqual(fetched, [])

    def test_the_options_go_together_in_any_order(self):
        for options in (["--tensorflow", "--peers"], ["--peers", "--tensorflow"]):
            with self.subTest(options):
                result, fetched = self.run_setup(
                    *options, have="litert", TENSORIO_PYTHON="/my/python")
                self.assertEqual((result.returncode, result.stdout), (0, "/my/python\n"))
                self.assertEqual(fetched, ["tensorflow"])

    def test_a_library_of_the_users_own_is_not_fetched(self):
        mine = self.root / "mine.so"
        mine.write_text("")
        _, fetched = self.run_setup(
            "--tensorflow", have="litert", TENSORIO_TENSORFLOW_LIBRARY=str(mine))
        self.assertEqual(fetched, [])

    def test_a_missing_library_of_the_users_own_is_named(self):
        for variable in ("TENSORIO_LITERT_LIBRARY", "TENSORIO_TENSORFLOW_LIBRARY"):
            with self.subTest(variable):
                result, fetched = self.run_setup("--tensorflow", **{variable: "/nowhere/lib.so"})
                self.assertEqual((result.returncode, fetched), (66, []))
                self.assertIn(f"{variable} is '/nowhere/lib.so'", result.stderr)

    def test_tensorflows_variable_counts_only_when_it_is_wanted(self):
        result, _ = self.run_setup(
            have="litert", TENSORIO_TENSORFLOW_LIBRARY="/nowhere/lib.so")
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_a_wrong_option_shows_the_usage(self):
        for options in (["--tensor"], ["--peers", "extra"], [""]):
            with self.subTest(options):
                result, fetched = self.run_setup(*options)
                self.assertEqual((result.returncode, fetched), (64, []))
                self.assertEqual(
                    result.stderr, "usage: Scripts/setup.sh [--tensorflow] [--peers] [--measuring]\n")


if __name__ == "__main__":
    unittest.main()
