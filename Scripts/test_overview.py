# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Compares the table of modules in Documentation/Overview.md with what the sources import."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IMPORT = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?"
                    r"import\s+(?:(?:struct|class|enum|func|protocol|typealias|var|let)\s+)?(\w[\w-]*)", re.MULTILINE)
ROW = re.compile(r"^\| (`[^|]*) \|", re.MULTILINE)


def table() -> dict[str, int]:
    """Each module in the table and the index of its row, counted from the top."""
    text = (ROOT / "Documentation/Overview.md").read_text()
    section = text[text.index("## Modules"):]
    section = section[:section.index("The package depends on these other packages")]
    rows = [re.findall(r"`([\w-]+)`", row) for row in ROW.findall(section)]
    return {name: index for index, names in enumerate(rows) for name in names}


class OverviewTests(unittest.TestCase):
    def test_every_module_has_a_row(self) -> None:
        modules = {folder.name for folder in (ROOT / "Sources").iterdir() if folder.is_dir()}
        self.assertEqual(set(table()), modules)

    def test_every_import_points_down(self) -> None:
        rows = table()
        wrong = set()
        for file in (ROOT / "Sources").rglob("*.swift"):
            module = file.relative_to(ROOT / "Sources").parts[0]
            for imported in IMPORT.findall(file.read_text()):
                if imported in rows and imported != module and rows[imported] <= rows[module]:
                    wrong.add(f"{module} imports {imported}, which isn't below it")
        self.assertEqual(sorted(wrong), [])


if __name__ == "__main__":
    unittest.main()
