// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// MLPerf Tiny's sample files: a folder of `.bin` files, and `y_labels.csv` with the name, the number
/// of classes and the class of each, and perhaps the width and the stride of its windows in bytes.
extension DatasetReader {
  static let sampleLabels = "y_labels.csv"

  func readSampleFiles() throws -> Dataset {
    let file = FileSystem.isFolder(path) ? path + "/" + Self.sampleLabels : path
    try checkEnclosed(file)
    let folder = options.imagesFolder ?? FileSystem.folder(of: file)
    let table = try DelimitedText(contentsOf: file)
    let samples = try table.rows.map { row in
      let numbers = row.cells.dropFirst().map { Int($0) }
      guard [3, 5].contains(row.cells.count), let first = numbers.first, let classes = first,
        let label = numbers[1], (0..<max(classes, 0)).contains(label),
        numbers.dropFirst(2).allSatisfy({ $0.map { $0 > 0 } ?? false })
      else {
        throw table.error(
          row.line,
          "a file, the number of classes and the class were expected, and perhaps the width and the "
            + "stride of windows in bytes")
      }
      let name = row.cells[0]
      var numberFile = NumberFile(path: name.hasPrefix("/") ? name : folder + "/" + name)
      if numbers.count == 4 { (numberFile.width, numberFile.stride) = (numbers[2], numbers[3]) }
      var truth = GroundTruth.label("\(label)")
      if classes == 2, case .anomaly(_, let machine)? = AnomalyLabel.truth(ofFile: name) {
        truth = .anomaly(label == 1, machine: machine)
      }
      return Sample(id: name, source: .numbers(numberFile), truth: truth)
    }
    guard !samples.isEmpty else {
      throw TensorIOError(.wrongKind, "'\(file)' has no rows.")
    }
    return Dataset(
      layout: .mlperfTiny, name: name, path: path, samples: samples,
      notes: ["read as MLPerf Tiny's sample files: \(counted(samples.count, "file"))"])
  }
}
