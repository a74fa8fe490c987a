// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// The folders and tables that these tests read.
enum Fixtures {
  static let root = Python.root
  static let models = root.appending(path: "Tests/Fixtures/Models")
  /// Bundles and models next to the checkout, which most machines don't have.
  static let sharedData: URL? = {
    let variable = ProcessInfo.processInfo.environment["TENSORIO_SHARED_DATA"]
    let folder = variable.map { URL(filePath: $0) } ?? root.appending(path: "../shared/data")
    let isThere = FileManager.default.fileExists(atPath: folder.appending(path: "models").path)
    return isThere ? folder.standardizedFileURL : nil
  }()

  static func model(_ name: String) -> String { models.appending(path: name).path }
}

/// The inputs and outputs of a model in Python's interpreter.
struct GoldenCase: Decodable, CustomStringConvertible {
  let file: String
  let signature: String?
  /// 0 if every CPU computes the same bits, else how much an element may differ.
  let tolerance: Double
  let inputs: [GoldenTensor]
  let outputs: [GoldenTensor]

  var description: String { "\(file) \(inputs.first?.shape ?? [])" }

  static let all: [GoldenCase] = table.cases
  private static let table: Table = {
    do {
      let data = try Data(contentsOf: Fixtures.models.appending(path: "expected.json"))
      return try JSONDecoder().decode(Table.self, from: data)
    } catch {
      fatalError("The table of expected outputs cannot be read: \(error)")
    }
  }()

  private struct Table: Decodable {
    let cases: [GoldenCase]
  }
}

struct GoldenTensor: Decodable {
  let name: String
  let dtype: String
  let shape: [Int]
  let base64: String

  var bytes: Data { Data(base64Encoded: base64) ?? Data() }
}
