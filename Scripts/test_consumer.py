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
PROCESSOR_TIME = 130

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
      ]@MORE@)
  ])
"""

# What the plugin's program compiles for the machine that builds.
TOOL_MODULES = {"Files", "SwiftGeneration", "TensorIO", "tensorio_generator"}
PLUGIN = """,
      resources: [.copy("Models")], plugins: [.plugin(name: "TensorIOModels", package: "TensorIO")]"""
GENERATES = "Generating the type of digits.tiobundle"

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

TYPED_PROGRAM = """import TensorIOImageCodecs

@main struct Consumer {
  static func main() async throws {
    let digits = try Digits()
    let answer = try await digits(image: ImageFile("@ROOT@/Demo/images/digit-7-01.png"))
    print(answer.classification.best, answer.classification.best == .seven ? "lucky" : "unlucky")
  }
}
"""


def reference_seconds() -> float:
    """The processor time of work that is always the same, because machines differ in speed."""
    start = time.process_time()
    sum(number * number % 7 for number in range(10_000_000))
    return time.process_time() - start


@unittest.skipUnless(shutil.which("swift"), "swift is not on the PATH")
class ConsumerTests(unittest.TestCase):
    """All tests share one package, because its first build takes most of the time."""

    folder: tempfile.TemporaryDirectory[str]
    package: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.package = Path(cls.folder.name)
        (cls.package / "Sources/consumer").mkdir(parents=True)
        cls.write("Package.swift", MANIFEST.replace("@MORE@", ""))
        cls.write("Sources/consumer/main.swift", PROGRAM)
        reference = reference_seconds()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        cls.first_build = cls.build()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        reference = (reference + reference_seconds()) / 2
        cls.seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        cls.times_reference = cls.seconds / reference
        cls.modules = {path.stem for path in (cls.package / ".build/debug/Modules").glob("*.swiftmodule")}

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.cleanup()

    @classmethod
    def write(cls, name: str, text: str) -> None:
        (cls.package / name).write_text(text.replace("@ROOT@", str(ROOT)))

    @classmethod
    def build(cls) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(["swift", "build"], cwd=cls.package, capture_output=True, text=True, check=False)

    @classmethod
    def run_program(cls, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([cls.package / ".build/debug/consumer", *arguments], capture_output=True, text=True,
                              check=False)

    def test_a_package_with_a_model_builds_little(self) -> None:
        self.assertEqual(self.first_build.returncode, 0, self.first_build.stdout + self.first_build.stderr)
        pins = json.loads((self.package / "Package.resolved").read_text())["pins"]
        self.assertLessEqual(len(pins), 2, [pin["identity"] for pin in pins])
        self.assertEqual(self.modules - {"consumer"}, MODULES)
        print(f"a consumer: {len(pins)} packages, {self.seconds:.1f} s of processor time, "
              f"{self.times_reference:.0f} times the reference")
        self.assertLess(self.times_reference, PROCESSOR_TIME)
        self.write("Package.swift", MANIFEST.replace("@MORE@", ""))
        self.write("Sources/consumer/main.swift", PROGRAM)
        self.assertEqual(self.build().returncode, 0)
        program = self.run_program(str(ROOT))
        self.assertEqual((program.returncode, program.stdout), (0, "seven\n"), program.stderr)

    def test_the_plugin_keeps_a_type_like_its_bundle(self) -> None:
        models = self.package / "Sources/consumer/Models"
        bundle = models / "digits.tiobundle"
        shutil.copytree(ROOT / "Demo/digits.tiobundle", bundle)
        program = self.package / "Sources/consumer/Consumer.swift"
        self.addCleanup(shutil.rmtree, models)
        self.addCleanup(program.unlink)
        self.write("Package.swift", MANIFEST.replace("@MORE@", PLUGIN))
        self.write("Sources/consumer/Consumer.swift", TYPED_PROGRAM)
        # A file of this name can't contain the type of the program.
        (self.package / "Sources/consumer/main.swift").unlink()
        labels = bundle / "assets/labels.txt"
        names = labels.read_text()

        with self.subTest("the program gets a typed answer"):
            build = self.build()
            self.assertEqual(build.returncode, 0, build.stdout + build.stderr)
            run = self.run_program()
            self.assertEqual((run.returncode, run.stdout), (0, "seven lucky\n"), run.stderr)
            tools = {path.stem for path in (self.package / ".build/debug").glob("Modules-tool/*.swiftmodule")}
            self.assertEqual(tools, TOOL_MODULES)
        with self.subTest("the type isn't written again without a change"):
            self.assertNotIn(GENERATES, self.build().stdout)
        with self.subTest("a label that is renamed breaks the build"):
            labels.write_text(names.replace("seven", "sept"))
            build = self.build()
            labels.write_text(names)
            self.assertNotEqual(build.returncode, 0)
            self.assertIn("has no member 'seven'", build.stdout + build.stderr)
        with self.subTest("an error in model.json breaks the build, and says where it is"):
            document = (bundle / "model.json").read_text()
            (bundle / "model.json").write_text(document.replace('"shape": [32, 32, 3]', '"shape": [32]'))
            build = self.build()
            (bundle / "model.json").write_text(document)
            self.assertNotEqual(build.returncode, 0)
            self.assertIn("inputs[0].shape", build.stdout + build.stderr)
        with self.subTest("the settings name the type"):
            self.write("Sources/consumer/TensorIOModels.json", '{"types": {"digits.tiobundle": "Reader"}}')
            self.write("Sources/consumer/Consumer.swift", TYPED_PROGRAM.replace("Digits()", "Reader()"))
            build = self.build()
            (self.package / "Sources/consumer/TensorIOModels.json").unlink()
            self.assertEqual(build.returncode, 0, build.stdout + build.stderr)
            lines = (build.stdout + build.stderr).splitlines()
            self.assertEqual([line for line in lines if "warning" in line], [])
        with self.subTest("another bundle in its place is an error when it is opened"):
            copies = list((self.package / ".build/debug").glob("*.resources/Models/digits.tiobundle/assets/labels.txt"))
            self.assertEqual(len(copies), 1)
            copies[0].write_text(names.replace("seven", "sept"))
            run = self.run_program()
            self.assertNotEqual(run.returncode, 0)
            self.assertIn("doesn't fit the type Reader", run.stderr)
        with self.subTest("a bundle that loses its folder is an error with the fix"):
            self.write("Package.swift", MANIFEST.replace("@MORE@", PLUGIN.replace(".copy", ".process")))
            build = self.build()
            self.assertNotEqual(build.returncode, 0)
            self.assertIn('Write .copy("digits.tiobundle")', build.stdout + build.stderr)


if __name__ == "__main__":
    unittest.main()
