// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The pages' only script, which sorts tables by column.
///
/// Without it, a page shows the same content, with the most important rows first.
struct HTMLScript {
  static let text = """
    for (const table of document.querySelectorAll("table.sortable")) {
      const heads = [...table.tHead.rows[0].cells];
      heads.forEach((head, column) => {
        const button = document.createElement("button");
        button.type = "button";
        button.append(...head.childNodes);
        head.append(button);
        button.addEventListener("click", () => {
          const before = head.getAttribute("aria-sort");
          const isUp = before === "descending" || (!before && column === 0);
          heads.forEach((other) => other.removeAttribute("aria-sort"));
          head.setAttribute("aria-sort", isUp ? "ascending" : "descending");
          const key = (row) => row.cells[column].dataset.v ?? row.cells[column].textContent;
          const isEmpty = (row) => row.cells[column].dataset.v === "";
          const body = table.tBodies[0];
          const rows = [...body.rows].sort((a, b) => {
            if (isEmpty(a) || isEmpty(b)) return isEmpty(a) - isEmpty(b);
            const [x, y] = [key(a), key(b)];
            const order = column > 0 ? x - y : x.localeCompare(y, undefined, { numeric: true });
            return isUp ? order : -order;
          });
          body.append(...rows);
        });
      });
    }
    """
}
