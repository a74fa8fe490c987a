// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Charts
import Testing

struct MarkupTests {
  @Test func `text is escaped, and markup isn't`() {
    let name = "<b>\"it's\" & \u{1B}"
    let bold: Markup = "<b>\(name)</b>"
    let whole: Markup = "<p title=\"\(name)\">\(bold)</p>"
    let escaped = "&lt;b&gt;&quot;it&#39;s&quot; &amp; \u{FFFD}"
    #expect(whole.text == "<p title=\"\(escaped)\"><b>\(escaped)</b></p>")
  }

  @Test(arguments: [
    (String.MarkupContext.html, "a\tb\nc\u{FFFD}&#39;"), (.xml, "a\tb\nc&#13;'"),
    (.xmlAttribute, "a&#9;b&#10;c&#13;'"),
  ])
  func `characters that a parser would change are escaped or replaced`(
    _ context: String.MarkupContext, _ text: String
  ) {
    #expect("a\tb\nc\r'".escaped(for: context) == text)
  }
}
