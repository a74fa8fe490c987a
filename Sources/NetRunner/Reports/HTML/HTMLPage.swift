// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts
import Hashing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A page that needs no other files and no network.
///
/// Its content security policy allows only its own style and script, by their hashes, and embedded
/// images. A browser doesn't run anything else that might get into the page.
struct HTMLPage {
  var title: String
  var body: Markup

  func text() throws -> String {
    let style = HTMLStyle.text
    let script = HTMLScript.text
    let (styleHash, scriptHash) = (try Self.hash(style), try Self.hash(script))
    let policy =
      "default-src 'none'; img-src data:; style-src '\(styleHash)'; "
      + "script-src '\(scriptHash)'; base-uri 'none'; form-action 'none'"
    let page: Markup = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="referrer" content="no-referrer">
      <title>\(title)</title>
      <link rel="icon" href="data:,">
      <style>\(Markup(stringLiteral: style))</style>
      </head>
      <body>
      \(body)
      <script>\(Markup(stringLiteral: script))</script>
      </body>
      </html>

      """
    return page.text
  }

  private static func hash(_ text: String) throws -> String {
    "sha256-" + Data(try SHA256.digest(of: Array(text.utf8))).base64EncodedString()
  }
}

extension Markup {
  /// Isolates text from elsewhere, so that its writing direction doesn't affect the text around it.
  static func name(_ text: String) -> Markup { "<bdi>\(text)</bdi>" }

  /// Wraps a table that can be wider than the page, so that it scrolls, also with the keyboard.
  static func scrolling(_ table: Markup, label: String) -> Markup {
    "<div class=\"scroll\" role=\"region\" aria-label=\"\(label)\" tabindex=\"0\">\(table)</div>\n"
  }
}

/// The pages' only script, which sorts tables by column; without it, the content is the same.
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
