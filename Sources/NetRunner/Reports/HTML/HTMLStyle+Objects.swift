// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension HTMLStyle {
  /// The objects of the truth and of the prediction.
  ///
  /// The colours can be told from each other with every kind of colour vision, and on any photo
  /// because of the dark line behind each. Without colours, dashes and labels tell the same.
  static let objects = """
    .objects .casing { fill: none; stroke: rgb(0 0 0 / .6); stroke-dasharray: none; }
    .objects .stroke { fill: none; stroke: var(--state); }
    .objects .truth, .objects .predicted { --state: #4cc9f0; }
    .objects .missed { --state: #ff6b57; } .objects .false { --state: #ffc93c; }
    .objects .confused { --state: #e58cff; } .objects .ignored { --state: #c3cad3; opacity: .7; }
    .objects g text { fill: var(--state); stroke: #000; paint-order: stroke; stroke-dasharray: none; }
    .objects .mask { fill: var(--state); fill-opacity: .35; }
    .objects .dot { fill: #fff; stroke: var(--state); stroke-dasharray: none; }
    .objects.line { width: 26px; height: 10px; vertical-align: 1px; }
    .objects.line .casing { stroke-width: 4.4; } .objects.line .stroke { stroke-width: 2.4; }
    .objects.line .truth .stroke { stroke-dasharray: 6 4; }
    .shows { border: 0; padding: 0; margin: 6px 0; display: flex; flex-wrap: wrap; gap: 4px 18px; }
    .shows legend { float: left; padding: 0; margin-right: 14px; color: var(--muted); }
    .shows:has([value=truth]:checked) ~ .gallery .predicted { display: none; }
    .shows:has([value=predicted]:checked) ~ .gallery .truth { display: none; }
    .keys { font-size: 14px; color: var(--muted); }
    .keys span { display: inline-block; margin-right: 12px; color: var(--ink); }

    """
}
