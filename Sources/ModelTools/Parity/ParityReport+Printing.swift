// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

extension ParityReport {
  package func lines(image: String, bundle: String) -> [String] {
    var lines: [String] = []
    if isEqual {
      if let difference { lines.append(difference.equalLine(tolerance: tolerance)) }
    } else {
      lines.append("the tensor of '\(image)' differs between '\(reference.path)' and '\(bundle)':")
      lines += StageFinding.table(findings, isClear: isClear)
      lines.append(verdict)
      if let difference {
        lines.append(difference.line(tolerance: tolerance))
      } else {
        lines.append(
          "not compared element by element: \(layer.shape.channels) channels against "
            + "\(reference.channels.count)")
      }
      if let residual, isExplained {
        lines.append("unexplained rest: \(residual.fixed(3)) bytes rms")
      }
    }
    if let note { lines.append(note) }
    return lines
  }

  /// One sentence that names the first stage that differs, and how to fix it.
  var verdict: String {
    guard isExplained else {
      let what = nearest.flatMap { $0.isEmpty ? nil : $0 } ?? "the bundle's own preprocessing"
      let rest = "leaves \((residual ?? 0).fixed(2)) bytes rms"
      let stage = firstDifference?.rawValue ?? ""
      let advice =
        switch firstDifference {
        case .decode: ", so crop and resize almost fit. Compare the decoded images first."
        case .resize:
          ", so the crop almost fits. The Python code may use a resize that model.json doesn't "
            + "support, such as the bicubic resize of TensorFlow or OpenCV."
        default:
          ". Compare the images before and after crop and resize, and check that both come from "
            + "the same file."
        }
      return "first difference: \(stage): no known variant explains it. The nearest (\(what)) "
        + rest + advice
    }
    guard let first = findings.first(where: { $0.result == .differs }) else {
      return
        "first difference: none found. The rest, \((residual ?? 0).fixed(3)) bytes rms, is as "
        + "small as the effect of another rounding or decoder. Pass --tolerance to accept it."
    }
    return first.verdict(isClear: isClear)
  }

  /// Whether no more bytes rms remain than if images are identical, or off by one in a few pixels.
  private var isClear: Bool { (residual ?? 0) <= 0.1 }

  /// A note for tensors that have equal values but different data types.
  private var note: String? {
    let (ours, theirs) = (layer.spec.dataType, reference.tensor.dataType)
    guard ours != theirs, ours.isFloat == theirs.isFloat, isEqual else { return nil }
    return "note: '\(reference.path)' has \(theirs) elements, '\(layer.spec.name)' takes \(ours)"
  }

  package func json(image: String, bundle: String, written: String?) -> JSONValue {
    let comparison: [String: JSONValue] = [
      "against": .string(reference.path), "equal": .bool(isEqual),
      "theirs": .tensor(reference.tensor.dataType, reference.tensor.shape),
      "tolerance": .number(tolerance),
      "first_difference": .stringOrNull(firstDifference?.rawValue),
      "message": .stringOrNull(isEqual ? nil : verdict), "explained": .bool(isExplained),
      "residual_bytes": .numberOrNull(residual), "nearest": .stringOrNull(nearest),
      "fitted": fitted.map {
        .object(["scale": .colors($0.scale), "bias": .colors($0.bias)])
      } ?? .null,
      "stages": .array(findings.map(\.json)),
    ].merging(TensorDifference.json(difference)) { own, _ in own }
    let ours = layer.json(image: image, bundle, written: written)
    return .object(ours.merging(comparison) { ours, _ in ours })
  }
}

extension ImageLayer {
  /// Returns the members of the JSON report that describe the bundle's own tensor of an image.
  package func json(image: String, _ bundle: String, written: String?) -> [String: JSONValue] {
    [
      "bundle": .string(bundle), "image": .string(image), "input": .string(spec.name),
      "ours": .tensor(spec.dataType, spec.itemShape),
      "written": .stringOrNull(written),
    ]
  }
}
