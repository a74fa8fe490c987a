// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension Classification: TensorDecodable {
  public static func decode(_ bytes: RawSpan, as spec: TensorSpec) throws -> Classification {
    guard case .vector(_, let labels?) = spec.kind else {
      throw TensorIOError.wrongOutputType(
        spec, "Classification",
        because: spec.isClassMap ? "it is a class map" : "model.json doesn't name labels for it")
    }
    return Classification(labels: labels, values: try [Float].decode(bytes, as: spec))
  }
}
