// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOTensorFlow
import Testing

/// Damaged SavedModels give errors of this library, and never crash the process.
@Suite struct CorruptionTests {
  @Test func `more than two hundred damaged SavedModels give errors or run`() throws {
    var tried = 0
    var refused = 0
    for name in ["train_line", "train_adam", "tf2_table", "assign_fed", "tf2_train"] {
      let source = SavedModels.path(name)
      for file in try Self.files(of: source) {
        for damage in Damage.all(of: try Data(contentsOf: URL(filePath: source + "/" + file))) {
          let bundle = try TestBundle(source, inputs: [], outputs: [])
          try damage.write(to: bundle.modelPath + "/" + file)
          tried += 1
          do {
            try Self.use(bundle.modelPath)
          } catch let error as TensorIOError {
            refused += 1
            #expect(error.message.contains(bundle.modelPath), "\(error.message)")
            #expect(error.message.count < 1200, "\(error.message)")
          }
        }
      }
    }
    #expect(tried >= 200)
    // A flipped bit may be in an unused name or in a number.
    #expect(refused > tried / 3, "\(refused) of \(tried)")
  }

  /// Loads a model and runs all of its signatures.
  private static func use(_ path: String) throws {
    for modes in [ModelModes.train, .predict] {
      let model = try SavedModels.backend.tensorFlowModel(at: path, for: modes)
      for signature in model.signatures {
        let session = try model.makeSession(signature, options: SessionOptions())
        try session.resizeInputs(
          to: signature.inputs.map { $0.shape.map { $0 < 0 ? 1 : $0 } })
        for (index, input) in signature.inputs.enumerated() {
          if input.dataType == .string {
            try session.setInput(
              at: index,
              to: Array(repeating: Data("one".utf8), count: abs(input.shape.reduce(1, *))))
          } else {
            try session.withInput(at: index) { memory in
              memory.withUnsafeMutableBytes { bytes in
                for index in bytes.indices { bytes[index] = 0 }
              }
            }
          }
        }
        try session.run()
      }
    }
  }

  private static func files(of folder: String) throws -> [String] {
    let found = try FileManager.default.subpathsOfDirectory(atPath: folder)
    return found.filter { name in
      var isFolder: ObjCBool = false
      let exists = FileManager.default.fileExists(
        atPath: folder + "/" + name, isDirectory: &isFolder)
      return exists && !isFolder.boolValue
    }.sorted()
  }
}

/// A way to damage a file.
private enum Damage {
  case missing
  case content(Data)

  /// The file missing, empty, cut at several offsets, and with flipped bits throughout.
  static func all(of data: Data) -> [Damage] {
    let cuts = [0, 1, data.count / 4, data.count / 2, data.count - 1].map {
      Damage.content(data.prefix($0))
    }
    let flips = (0..<12).map { number in
      var flipped = data
      let place = flipped.startIndex + (number * 2_654_435_761 % max(data.count, 1))
      flipped[place] ^= 1 << UInt8(number % 8)
      return Damage.content(flipped)
    }
    return [.missing] + cuts + flips
  }

  func write(to path: String) throws {
    try FileManager.default.removeItem(atPath: path)
    if case .content(let data) = self { try data.write(to: URL(filePath: path)) }
  }
}
