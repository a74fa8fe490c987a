// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

extension TypeGenerator {
  // MARK: - Runs

  func writeRuns(to writer: inout SourceWriter) {
    let parameters = fields.map { $0.parameter(isStored: false) }
    let arguments = fields.map { "\($0.label): \($0.identifier)" }
    let values =
      fields.count == 1
      ? ["Parameter \(fields[0].label): \(fields[0].summary)"]
      : fields.isEmpty
        ? [] : ["Parameters:"] + fields.map { "  \($0.label): \($0.summary)" }
    // Keywords can't be listed as parameters.
    let hasKeyword = fields.contains { $0.identifier.hasPrefix("`") }
    let results = [
      "Returns: The outputs.", "Throws: `TensorIOError` when a value doesn't fit the model.",
    ]
    for waits in [false, true] {
      writer.documentation(
        waits
          ? "Runs the model without blocking the calling task's thread."
          : "Runs the model, and waits while all its sessions are busy.",
        fields: hasKeyword ? [] : values + results)
      writer.function(
        "\(access)func callAsFunction", parameters, "\(waits ? " async" : "") throws -> Outputs"
      ) { writer in
        writer.call("try \(waits ? "await " : "")self.run", "Inputs", arguments)
      }
      writer.blank()
    }
    for method in Self.runMethods {
      for waits in [false, true] { write(method, waits: waits, to: &writer) }
    }
  }

  /// A method of a generated type, which has a blocking and an asynchronous form.
  private struct RunMethod: Sendable {
    let summary: String
    let head: String
    let parameters: [String]
    let result: String
    /// Returns the lines of the body, with `try` or `try await` before a call of the model.
    let body: @Sendable (_ attempt: String) -> [String]
  }

  private static let runMethods = [
    RunMethod(
      summary: "Runs the model on its inputs", head: "run", parameters: ["_ inputs: Inputs"],
      result: "Outputs", body: { ["\($0) Outputs(model.run(inputs.modelInputs))"] }),
    RunMethod(
      summary: "Runs the model on its inputs until a deadline", head: "run",
      parameters: ["_ inputs: Inputs", "deadline: ContinuousClock.Instant"], result: "Outputs",
      body: { ["\($0) Outputs(model.run(inputs.modelInputs, deadline: deadline))"] }),
    RunMethod(
      summary: "Runs the model, and measures the run", head: "measure",
      parameters: ["_ inputs: Inputs"], result: "(outputs: Outputs, latency: TensorIO.RunLatency)",
      body: {
        [
          "let (outputs, latency) = \($0) model.measure(inputs.modelInputs)",
          "return (try Outputs(outputs), latency)",
        ]
      }),
    RunMethod(
      summary: "Runs the model on several items", head: "run",
      parameters: ["batch items: [Inputs]"], result: "[Outputs]",
      body: { ["\($0) model.run(batch: items.map(\\.modelInputs)).map { try Outputs($0) }"] }),
  ]

  private func write(_ method: RunMethod, waits: Bool, to writer: inout SourceWriter) {
    writer.documentation(
      method.summary + (waits ? " without blocking the calling task's thread." : "."))
    writer.function(
      "\(access)func \(method.head)", method.parameters,
      "\(waits ? " async" : "") throws -> \(method.result)"
    ) { writer in
      for line in method.body(waits ? "try await" : "try") { writer.line(line) }
    }
    writer.blank()
  }

  // MARK: - Inputs and outputs

  func writeInputs(to writer: inout SourceWriter) {
    writer.documentation("What the model takes.")
    writer.block("\(access)struct Inputs: Sendable {") { writer in
      for property in inputs { writeStored("var", property, "input", to: &writer) }
      for property in placeholders { writeStored("var", property, "placeholder", to: &writer) }
      writeMemberwise(fields, to: &writer)
      if isTrainable {
        writer.documentation("The values by the names in model.json, for a batch.")
        writer.block("\(access)var batchItem: TensorIO.Batch.Item {") { writer in
          writeValues(inputs, to: &writer)
          writer.line("return values")
        }
        writer.blank()
      }
      writer.documentation("The values by the names in model.json.")
      writer.block("\(access)var modelInputs: TensorIO.ModelInputs {") { writer in
        writeModelInputs(to: &writer)
      }
    }
    writer.blank()
  }

  private func writeModelInputs(to writer: inout SourceWriter) {
    if takesOneText { return writer.line("TensorIO.ModelInputs(self.text)") }
    if isTrainable, placeholders.isEmpty { return writer.line("TensorIO.ModelInputs(batchItem)") }
    if !isTrainable { writeValues(inputs, to: &writer) }
    let values = isTrainable ? "batchItem" : "values"
    guard !placeholders.isEmpty else { return writer.line("return TensorIO.ModelInputs(values)") }
    writer.line("var inputs = TensorIO.ModelInputs(\(values))")
    for property in placeholders { writeValue(property, of: "inputs.placeholders", to: &writer) }
    writer.line("return inputs")
  }

  private func writeValues(_ properties: [Property], to writer: inout SourceWriter) {
    let keyword = properties.isEmpty ? "let" : "var"
    writer.line("\(keyword) values: TensorIO.Batch.Item = [:]")
    for property in properties { writeValue(property, of: "values", to: &writer) }
  }

  private func writeValue(
    _ property: Property, of values: String, to writer: inout SourceWriter
  ) {
    let isRow = property.expression != "self.\(property.identifier)"
    let expression =
      isRow && property.isOptional ? "self.\(property.identifier)?.row" : property.expression
    writer.line("\(values)[\(SwiftText.literal(property.name))] = \(expression)")
  }

  func writeOutputs(to writer: inout SourceWriter) {
    writer.documentation("What the model returns.")
    writer.block("\(access)struct Outputs: Sendable {") { writer in
      for property in outputs { writeStored("let", property, "output", to: &writer) }
      writer.documentation(
        "Reads the outputs of a run.",
        fields: [
          "Parameter outputs: The outputs.",
          "Throws: `TensorIOError` when an output can't be read as its type.",
        ])
      writer.function("\(access)init", ["_ outputs: TensorIO.ModelOutputs"], " throws") { writer in
        for property in outputs {
          writer.line("self.\(property.identifier) = try \(property.expression)")
        }
      }
    }
  }

  private func writeStored(
    _ keyword: String, _ property: Property, _ role: String, to writer: inout SourceWriter
  ) {
    writer.documentation(property.summary, property.paragraphs(callsItself: role))
    writer.line("\(access)\(keyword) \(property.identifier): \(property.declaredType)")
    writer.blank()
  }

  /// Writes an initializer, which other modules don't have without it.
  private func writeMemberwise(_ properties: [Property], to writer: inout SourceWriter) {
    guard !access.isEmpty else { return }
    writer.documentation("Makes a value of its parts.")
    writer.function(
      "\(access)init", properties.map { $0.parameter(isStored: true) }, ""
    ) { writer in
      for property in properties {
        writer.line("self.\(property.identifier) = \(property.identifier)")
      }
    }
    writer.blank()
  }

  // MARK: - Nested types

  func write(_ type: NestedType, to writer: inout SourceWriter) {
    writer.blank()
    writer.documentation(type.summary)
    switch type.content {
    case .labels(let labels):
      let protocols = "String, CaseIterable, Sendable, TensorIO.ModelLabel"
      writer.block("\(access)enum \(type.name): \(protocols) {") { writer in
        writeCases(labels, to: &writer)
      }
    case .row(let columns):
      writer.block("\(access)struct \(type.name): Sendable {") { writer in
        for column in columns { writeStored("var", column, "column", to: &writer) }
        writeMemberwise(columns, to: &writer)
        writeRow(columns, to: &writer)
      }
    case .measurements(let numbers):
      writer.block("\(access)struct \(type.name): Sendable, Equatable {") { writer in
        for number in numbers { writeStored("let", number, "number", to: &writer) }
        writer.block("fileprivate init(_ numbers: [TensorIO.Measurement]) {") { writer in
          for number in numbers { writer.line("self.\(number.identifier) = \(number.expression)") }
        }
      }
    }
  }

  private func writeCases(_ labels: [String], to writer: inout SourceWriter) {
    var names = Identifiers(
      prefix: "label",
      reserved: ["allCases", "hash", "hashValue", "none", "some", "rawValue", "type", "values"])
    for label in labels {
      let name = names.make(label)
      let hasItsName = name.filter { $0 != "`" } == label
      writer.line("case \(name)" + (hasItsName ? "" : " = \(SwiftText.literal(label))"))
    }
  }

  private func writeRow(_ columns: [Property], to writer: inout SourceWriter) {
    writer.documentation("The values by the names of the columns.")
    writer.block("\(access)var row: TensorIOEncoding.FeatureRow {") { writer in
      writer.line("var columns: [String: TensorIO.JSONValue] = [:]")
      for column in columns {
        let key = SwiftText.literal(column.name)
        guard column.isOptional else {
          writer.line("columns[\(key)] = \(column.expression)")
          continue
        }
        // "self.x" within the expression is the unwrapped value.
        let value = "self.\(column.identifier)"
        let inner = column.expression.replacing(value, with: "$0")
        writer.line("columns[\(key)] = \(value).map { \(inner) }")
      }
      writer.line("return TensorIOEncoding.FeatureRow(columns)")
    }
  }
}
