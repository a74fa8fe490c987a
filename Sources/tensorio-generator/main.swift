// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
import SwiftGeneration
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes the type of a bundle to a file, for the plugin TensorIOModels.
///
/// It is a program of its own, so that a package that uses the plugin compiles no command line.
struct GeneratorTool {
  /// The options of the target, which it can have in a file.
  private struct Settings {
    var access: String?
    var types: [String: String] = [:]

    init() {}

    /// Reads a file, whose mistakes aren't ignored.
    init(_ path: String) throws {
      func fault(_ what: String) -> TensorIOError {
        TensorIOError(
          .invalidOption,
          "'\(path)' \(what). Write JSON such as {\"access\": \"public\", \"types\": "
            + "{\"digits.tiobundle\": \"DigitReader\"}}; both keys are optional.")
      }
      let json: JSONValue
      do {
        json = try JSONValue(parsing: FileSystem.read(path))
      } catch let error as JSONSyntaxError {
        throw fault("isn't JSON (\(error))")
      }
      guard case .object(let members) = json else { throw fault("isn't an object") }
      for (key, value) in members {
        switch (key, value) {
        case ("access", .string(let word)): access = word
        case ("types", .object(let names)):
          for (bundle, name) in names {
            guard case .string(let name) = name else {
              throw fault("has \(name.typeName) for '\(bundle)' instead of the name of a type")
            }
            guard bundle.hasSuffix(".tiobundle") else {
              throw fault("has a type for '\(bundle)', which isn't the name of a bundle")
            }
            types[bundle] = name
          }
        case ("access", _), ("types", _): throw fault("has \(value.typeName) for \"\(key)\"")
        default: throw fault("has the unknown key \"\(key)\"")
        }
      }
    }
  }

  private static let usage =
    "usage: tensorio-generator BUNDLE OUTPUT [--resource PATH] [--settings FILE]"

  static func run(_ arguments: [String]) throws {
    var words = arguments[...]
    var resource: String?
    var settings = Settings()
    var paths: [String] = []
    while let word = words.popFirst() {
      switch word {
      case "--resource": resource = words.popFirst()
      case "--settings": settings = try Settings(words.popFirst() ?? "")
      default: paths.append(word)
      }
    }
    guard paths.count == 2 else { throw TensorIOError(.invalidOption, usage) }
    let bundle = try ModelBundle(paths[0])
    let name = FileSystem.name(of: bundle.path)
    var options: GenerationOptions
    if let type = settings.types[name] {
      options = GenerationOptions(typeName: type)
    } else {
      options = try GenerationOptions(
        bundle: bundle.path, orElse: "name its type in TensorIOModels.json")
    }
    options.access = try access(settings.access)
    options.generator = "the plugin TensorIOModels"
    options.location = resource.map { .resource($0) } ?? .path(default: nil)
    let source = try TypeGenerator(bundle, options: options).source
    try Data(source.utf8).write(to: URL(filePath: paths[1]), options: .atomic)
  }

  private static func access(_ word: String?) throws -> GenerationOptions.Access {
    guard let word else { return .internal }
    guard let access = GenerationOptions.Access(rawValue: word) else {
      throw TensorIOError(
        .invalidOption,
        "\"access\" in TensorIOModels.json is '\(word)'. Write \"public\", \"package\" or "
          + "\"internal\".")
    }
    return access
  }
}

extension TensorIOError {
  /// The lines that SwiftPM shows: each error of a bundle, after the bundle's name.
  func diagnostics(of bundle: String) -> String {
    let errors = issues.filter { $0.severity == .error }
    let name = FileSystem.name(of: bundle)
    guard errors.count > 1 else {
      let isNamed = message.contains(name)
      return "error: \(isNamed ? "" : "'\(name)': ")\(message)\n"
    }
    return errors.map { "error: '\(name)': \($0)\n" }.joined()
  }
}

do {
  try GeneratorTool.run(Array(CommandLine.arguments.dropFirst()))
} catch {
  let bundle = CommandLine.arguments.dropFirst().first ?? ""
  let text = (error as? TensorIOError)?.diagnostics(of: bundle) ?? "error: \(error)\n"
  _ = Array(text.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  exit(1)
}
