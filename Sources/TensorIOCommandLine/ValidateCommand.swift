// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ModelCommands
import ModelTools
import NetRunner
import TensorIO
import TensorIODecoding
import TensorIOEncoding

struct ValidateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check bundles and report every problem.",
    discussion: """
      Each issue has a code, a path in model.json, what was expected, what was found, and how to \
      fix it. A bundle with a valid description is also compared with its model, which needs the \
      runtime's library. A bundle for training is also compared with the operations of a training \
      step, and takes one step on zeros, which changes no file. The exit code is 65 if any bundle has an error and 69 if a library is missing; \
      warnings alone leave it 0.
      """)

  @Argument(help: "The bundles.", completion: .directory)
  var bundles: [String]

  @Flag(help: "Don't compare the descriptions with the models.")
  var descriptionOnly = false

  @Option(help: MemoryLimit.help)
  var memoryLimit = MemoryLimit.standard

  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let results = try bundles.map { ($0, try issues(of: $0)) }
    if json {
      try Console.printJSON(
        .array(
          results.map { path, issues in
            .object([
              "bundle": .string(path), "valid": .bool(issues.allSatisfy { !$0.isError }),
              "issues": .array(issues.map(\.json)),
            ])
          }))
    } else {
      for (path, issues) in results { printText(path, issues) }
    }
    let all = results.flatMap(\.1)
    if all.contains(where: \.isError) {
      let onlyMissing = all.filter(\.isError).allSatisfy { $0.code == .notFound }
      throw ExitCode(onlyMissing ? 66 : 65)
    }
  }

  private func issues(of path: String) throws -> [BundleIssue] {
    let issues = ModelBundle.issues(at: path, check: Self.unfinishedTexts)
    guard issues.allSatisfy({ !$0.isError }) else { return issues }
    let bundle = try ModelBundle(path, check: Self.unfinishedTexts)
    let format = TensorIOTool.current.outputFormats.warning(for: bundle.manifest).map { [$0] } ?? []
    return try (descriptionOnly ? issues : issuesWithModel(of: bundle, known: issues)) + format
  }

  /// Returns an issue for each text that `init` left for the user to fill in.
  private static func unfinishedTexts(_ manifest: ModelManifest) -> [BundleIssue] {
    [
      ("name", manifest.name), ("details", manifest.details), ("id", manifest.id),
      ("version", manifest.version), ("author", manifest.author), ("license", manifest.license),
    ].filter { $0.1.hasPrefix(BundleDraft.markerStart) }.map { key, text in
      BundleIssue(
        .unfinishedText, severity: .warning, path: key, expected: "your own text",
        found: "\"\(text)\", which is the text from 'tensorio init'",
        suggestion: "Replace it. The model runs without this, too.")
    }
  }

  /// Returns the issues, including those that only the model itself reveals.
  private func issuesWithModel(
    of bundle: ModelBundle, known: [BundleIssue]
  ) throws -> [BundleIssue] {
    do {
      try ModelSignature(of: bundle).checkEncoders()
    } catch let error as TensorIOError where error.code == .invalidBundle {
      return known + [
        BundleIssue(
          .encoderMismatch, path: "inputs", expected: "inputs that values can be encoded for",
          found: error.message, suggestion: "Correct the input in model.json.")
      ]
    }
    do {
      let loader = ModelLoader(backends: Backends.isolated(by: memoryLimit))
      guard let model = try loader.makeInferenceModel(from: bundle) else { return known }
      let warnings = try model.loadWarnings()
      try model.loadSignature().checkDecoders()
      if bundle.manifest.describesTraining {
        model.unload()
        try TrainableModel(bundle: bundle, loader: ModelLoader(backends: Backends.all)).tryStep()
      }
      return warnings
    } catch let error as TensorIOError {
      return known + (try issues(from: error, of: bundle))
    }
  }

  private func issues(from error: TensorIOError, of bundle: ModelBundle) throws -> [BundleIssue] {
    switch error.code {
    case .missingLibrary:
      throw TensorIOError(
        .missingLibrary,
        "'\(bundle.path)' can't be compared with its model. \(error.message) To check only "
          + "model.json, pass --description-only.", cause: error)
    case .unknownBackend, .unknownModelClass:
      Console.printMessage("note: \(bundle.path): not compared with its model. \(error.message)")
      return []
    default:
      guard error.issues.isEmpty else { return error.issues }
      return [
        BundleIssue(
          .unusableModel, path: "model.file", expected: "a model that the runtime can run",
          found: error.message, suggestion: "Replace the model, or convert it again.")
      ]
    }
  }

  private func printText(_ path: String, _ issues: [BundleIssue]) {
    let errors = issues.count(where: \.isError)
    let warnings = issues.count - errors
    let verdict = errors > 0 ? counted(errors, "error") : "valid"
    Console.printData(
      "\(Console.bold(path)): \(verdict)"
        + (warnings > 0 ? ", " + counted(warnings, "warning") : ""))
    for issue in issues {
      Console.printData("  \(issue.severity.rawValue) [\(issue.code.rawValue)] at \(issue.path)")
      Console.printData("    expected  \(issue.expected)")
      Console.printData("    found     \(issue.found)")
      Console.printData("    fix       \(issue.suggestion)")
    }
  }
}

extension BundleIssue {
  var isError: Bool { severity == .error }

  var json: JSONValue {
    .object([
      "severity": .string(severity.rawValue), "code": .string(code.rawValue),
      "path": .string(path), "expected": .string(expected), "found": .string(found),
      "mending": .string(suggestion),
    ])
  }
}
