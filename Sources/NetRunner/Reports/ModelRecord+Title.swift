// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension ModelRecord {
  /// The model's name, followed by its id if another model has the same name.
  func title(among others: [ModelRecord]) -> String {
    others.contains { $0.name == name && $0.id != id } ? "\(name) (\(id))" : name
  }
}

extension EvaluationReport {
  /// A copy of the report in which all models have distinct names.
  func withDistinctModelNames() -> EvaluationReport {
    var report = self
    let models = models.map(\.model)
    for (place, model) in models.enumerated() {
      report.models[place].model.name = model.title(among: models)
    }
    return report
  }
}
