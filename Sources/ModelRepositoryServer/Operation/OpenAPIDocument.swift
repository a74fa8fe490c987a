// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The API's description.
enum OpenAPIDocument {
  static func document(version: String) -> [String: String] { ["openapi": "3.1.0"] }
}
