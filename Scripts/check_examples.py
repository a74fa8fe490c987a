#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Compiles every Swift example of the documentation against the built modules.

    Scripts/check_examples.py [--build-path .build/debug]

Examples are the ```swift blocks of the README, Documentation/ and the DocC catalogues. A block with an
import starts a new example. Any other block continues the example before it.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The type that `tensorio generate` writes for the bundle of the digits, which some examples use.
DIGITS = ROOT / "Tests/SwiftGenerationTests/Generated/Digits.swift"
BLOCK = re.compile(r"^```swift\n(.*?)^```", re.DOTALL | re.MULTILINE)


def pages() -> list[Path]:
    """Returns the pages with examples."""
    found = [ROOT / "README.md", *ROOT.glob("Documentation/**/*.md")]
    return sorted([*found, *ROOT.glob("Sources/*/*.docc/**/*.md")])


def examples(page: Path) -> list[str]:
    """Returns the examples of a page, each as a complete source file."""
    groups: list[list[str]] = []
    for block in BLOCK.findall(page.read_text()):
        if "import " in block or not groups:
            groups.append([])
        groups[-1].append(block)
    return [source(blocks) for blocks in groups]


def source(blocks: list[str]) -> str:
    """Returns a file with the imports, and then the blocks, each nested in the one before it."""
    lines = [line for block in blocks for line in block.splitlines()]
    imports = [line for line in lines if line.startswith("import ")]
    bodies = ["\n".join(line for line in block.splitlines() if not line.startswith("import "))
              for block in blocks]
    body = "\n  do {\n".join(bodies) + "\n  }" * (len(bodies) - 1)
    # If an example has its own async functions, its top level isn't async. Otherwise a call of `run`
    # would choose the asynchronous overload.
    waits = "await" in body and " async " not in body
    head = "func example() async throws {" if waits else "func example() throws {"
    return "\n".join([*imports, head, body, "}", ""])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build-path", type=Path, default=ROOT / ".build/debug")
    build = parser.parse_args().build_path
    flags = [f"-I{build / 'Modules'}"]
    # The plugin's program has its own copies of the C modules, named -tool.
    maps = [each for each in build.glob("*.build/module.modulemap") if not each.parent.match("*-tool.build")]
    maps += ROOT.glob("Sources/*/module.modulemap")
    # Dependencies have system libraries, such as GRDB's SQLite, and C modules with their own map.
    maps += build.parent.glob("checkouts/*/Sources/*/module.modulemap")
    maps += build.parent.glob("checkouts/*/Sources/*/include/module.modulemap")
    for module_map in maps:
        flags += ["-Xcc", f"-fmodule-map-file={module_map}"]
    count = 0
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for page in pages():
            for text in examples(page):
                file = Path(folder) / "example.swift"
                file.write_text(text)
                files = [str(file), *([str(DIGITS)] if "Digits(" in text else [])]
                result = subprocess.run(
                    ["swiftc", "-typecheck", "-swift-version", "6", *flags, *files],
                    capture_output=True, text=True, check=False)
                count += 1
                if result.returncode != 0:
                    failures += 1
                    errors = [line for line in result.stderr.splitlines() if "error:" in line]
                    print(f"{page.relative_to(ROOT)}: {'; '.join(errors)}", file=sys.stderr)
    print(f"examples: {count} compiled, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
