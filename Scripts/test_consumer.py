# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Builds a package that depends on this one, like the package of a program with a model."""

import json
import resource
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What such a package compiles of this one, besides C.
MODULES = {"Files", "NativeLibrary", "TensorIO", "TensorIOImageCodecs", "TensorIOLiteRT"}
# The most processor time of the build, as a multiple of the time of `reference_seconds`.
PROCESSOR_TIME = 100

MANIFEST = """// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Consumer",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "TensorIO", path: "@ROOT@")],
  targets: [
    .executableTarget(
      name: "consumer",
      dependencies: [
        .product(name: "TensorIO", package: "TensorIO"),
        .product(name: "TensorIOLiteRT", package: "TensorIO"),
        .product(name: "TensorIOImageCodecs", package: "TensorIO"),
      ])
  ])
"""

PROGRAM = """import TensorIO
import TensorIOImageCodecs
import TensorIOLiteRT

let root = CommandLine.arguments[1]
let loader = ModelLoader(backends: [.liteRT])
let model = try loader.model(at: root + "/Demo/digits.tiobundle")
let outputs = try model.run(ImageFile(root + "/Demo/images/digit-7-01.png"))
let classification = try outputs["classification", as: Classification.self]
print(classification.top(1).first?.label ?? "nothing")
"""


def reference_seconds() -> float:
    """The processor time of work that is always the same, because machines differ in speed."""
    start = time.process_time()
    sum(number * number % 7 for number in range(10_000_000))
    return time.process_time() - start


@unittest.skipUnless(shutil.which("swift"), "swift is not on the PATH")
class ConsumerTests(unittest.TestCase):
    def test_a_package_with_a_model_builds_little(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            package = Path(folder)
            (package / "Sources/consumer").mkdir(parents=True)
            (package / "Package.swift").write_text(MANIFEST.replace("@ROOT@", str(ROOT)))
            (package / "Sources/consumer/main.swift").write_text(PROGRAM)
            reference = reference_seconds()
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            build = subprocess.run(["swift", "build"], cwd=package, capture_output=True, text=True,
                                   check=False)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.assertEqual(build.returncode, 0, build.stdout + build.stderr)
            pins = json.loads((package / "Package.resolved").read_text())["pins"]
            self.assertLessEqual(len(pins), 2, [pin["identity"] for pin in pins])
            program = subprocess.run([package / ".build/debug/consumer", ROOT], capture_output=True,
                                     text=True, check=False)
            self.assertEqual((program.returncode, program.stdout), (0, "seven\n"), program.stderr)
            modules = {path.stem for path in (package / ".build/debug/Modules").glob("*.swiftmodule")}
            self.assertEqual(modules - {"consumer"}, MODULES)
            reference = (reference + reference_seconds()) / 2
            seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
            print(f"a consumer: {len(pins)} packages, {seconds:.1f} s of processor time, "
                  f"{seconds / reference:.0f} times the reference")
            self.assertLess(seconds / reference, PROCESSOR_TIME)


if __name__ == "__main__":
    unittest.main()
