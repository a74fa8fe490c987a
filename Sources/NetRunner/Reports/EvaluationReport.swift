// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// All that an evaluation found, as the JSON document that is written and read again.
///
/// `summary` and `results` are what Net Runner always exported; the rest is new.
public struct EvaluationReport: Sendable, Codable {
  /// What the documents' `schema` says.
  public static let schema = "tensorio.evaluation"
  /// What the documents' `schema_version` says.
  public static let schemaVersion = 1

  /// The kind of document.
  public var schema = Self.schema
  /// The version of that kind.
  public var schemaVersion = Self.schemaVersion
  /// The program.
  public var tool: ToolRecord
  /// When the evaluation began, in UTC, as ISO 8601 says.
  public var created: String
  /// Which share of the pictures this is; nil for all.
  public var part: PartRecord?
  /// How it was measured.
  public var settings: SettingsRecord
  /// Where it was measured.
  public var environment: EnvironmentRecord
  /// What it was measured on.
  public var dataset: DatasetRecord
  /// What each model came to.
  public var models: [ModelResult]
  /// The contract's rows: one for each model.
  public var summary: [SummaryRow]
  /// The contract's rows: one for each model and picture, in the dataset's order.
  public var results: [ResultRow]

  /// Makes a report.
  public init(
    tool: ToolRecord, created: String, part: PartRecord? = nil, settings: SettingsRecord,
    environment: EnvironmentRecord, dataset: DatasetRecord, models: [ModelResult],
    summary: [SummaryRow], results: [ResultRow]
  ) {
    self.tool = tool
    self.created = created
    self.part = part
    self.settings = settings
    self.environment = environment
    self.dataset = dataset
    self.models = models
    self.summary = summary
    self.results = results
  }

  private enum CodingKeys: String, CodingKey {
    case schema, tool, created, part, settings, environment, dataset, models, summary, results
    case schemaVersion = "schema_version"
  }
}
