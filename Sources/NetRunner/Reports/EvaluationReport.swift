// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The results of an evaluation, which can be written and read as JSON.
///
/// `summary` and `results` have the format that Net Runner has always exported. The other members
/// are new.
public struct EvaluationReport: Sendable, Codable {
  /// The value of `schema` in documents.
  public static let schema = "tensorio.evaluation"
  /// The value of `schema_version` in documents.
  public static let schemaVersion = 1

  /// The kind of document.
  public var schema = Self.schema
  /// The version of the document's format.
  public var schemaVersion = Self.schemaVersion
  /// The program that made the report.
  public var tool: ToolRecord
  /// The start of the evaluation, in UTC and in ISO 8601 format.
  public var created: String
  /// The part of the images that the report covers, or nil for all images.
  public var part: PartRecord?
  /// The settings of the evaluation.
  public var settings: SettingsRecord
  /// The machine that ran the evaluation.
  public var environment: EnvironmentRecord
  /// The dataset of the evaluation.
  public var dataset: DatasetRecord
  /// The results of each model.
  public var models: [ModelResult]
  /// One row for each model, in Net Runner's export format.
  public var summary: [SummaryRow]
  /// One row for each model and image, in the dataset's order and in Net Runner's export format.
  public var results: [ResultRow]

  private enum CodingKeys: String, CodingKey {
    case schema, tool, created, part, settings, environment, dataset, models, summary, results
    case schemaVersion = "schema_version"
  }

  /// A copy of the report in which all models have distinct names.
  func withDistinctModelNames() -> EvaluationReport {
    var report = self
    let models = models.map(\.model)
    for (index, model) in models.enumerated() {
      report.models[index].model.name = model.title(among: models)
    }
    return report
  }
}
