// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Hashing
package import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Makes the rows of a bulk run, also for programs that divide the samples among several machines.
package struct BulkRowMaker: Sendable {
  private let maker: RowMaker
  private let run: String

  /// Prepares the rows of a model.
  ///
  /// - Parameters:
  ///   - evaluator: The model.
  ///   - run: What ``stamp(of:_:)`` returns for the model.
  ///   - options: The settings of the run.
  package init(_ evaluator: Evaluator, run: String, _ options: EvaluationOptions) {
    maker = RowMaker(
      model: evaluator.model.bundle.manifest.id, testBundle: "", kept: options.kept ?? .top(5),
      classes: ClassList(MetricContext(labels: evaluator.labels)), shownPath: options.shownPath)
    self.run = run
  }

  /// Prepares rows with errors, which need only the names of the model and the run.
  package init(failuresOfModel model: String, run: String) {
    maker = RowMaker(
      model: model, testBundle: "", kept: .none, classes: ClassList(MetricContext(labels: [])))
    self.run = run
  }

  /// Returns the row of a sample.
  package func row(_ evaluation: Evaluation, of sample: Sample, at index: Int) -> BulkRow {
    var row = maker.row(evaluation, of: sample, at: index)
    row.testBundle = FileSystem.folder(of: sample.id)
    return BulkRow(result: row, run: run)
  }

  /// Returns the last row of an archive that was read to its end, after a number of others.
  func row(ending archive: Sample, after members: Int, at index: Int) -> BulkRow {
    let nothing = EvaluationRecord(
      decodeLatency: 0, preprocessorLatency: 0, inferenceLatency: 0, postprocessLatency: 0,
      inferenceResults: [:])
    let row = ResultRow(
      index: index, type: archive.source.kind, image: archive.id, model: maker.model,
      testBundle: FileSystem.folder(of: archive.id), error: false, evaluation: nothing)
    return BulkRow(result: row, run: run, place: .end(members: members))
  }

  /// Returns the row of a sample that has no result.
  package func row(failing error: TensorIOError, _ sample: Sample, at index: Int) -> BulkRow {
    row(Evaluation(id: sample.id, result: .failure(error)), of: sample, at: index)
  }

  /// Returns a digest that identifies the model's bundle, preprocessing, settings and accelerator.
  ///
  /// - Throws: `TensorIOError` if libcrypto is missing.
  package static func stamp(
    of model: ModelRecord, _ options: EvaluationOptions
  ) throws -> String {
    try stamp("\(model.sha256) \(model.bundleSHA256 ?? "")", model, options)
  }

  /// Returns the digest of earlier versions, which left out labels, weights and other files.
  static func olderStamp(of model: ModelRecord, _ options: EvaluationOptions) throws -> String {
    try stamp(model.sha256, model, options)
  }

  private static func stamp(
    _ files: String, _ model: ModelRecord, _ options: EvaluationOptions
  ) throws -> String {
    let text =
      "\(files) \(model.preprocessingSHA256) \(options.iterations) "
      + "\(options.kept ?? .top(5))" + (options.accelerator.map { " \($0)" } ?? "")
    return String(try SHA256.digest(of: Array(text.utf8)).hexadecimal.prefix(16))
  }
}

extension BulkRow {
  /// Decodes a line of a file of rows, and sets its part.
  init(_ line: String, of part: BulkPart?) throws {
    self = try StableJSON.makeDecoder().decode(BulkRow.self, from: Data(line.utf8))
    self.part = part
  }

  /// Returns the row as a line of a file of rows, without the line feed.
  ///
  /// - Throws: `TensorIOError` if it can't be encoded.
  package func line() throws -> String { try StableJSON(self).text }
}
