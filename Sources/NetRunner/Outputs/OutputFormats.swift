// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// The ways to show outputs, by name.
///
/// ```swift
/// var formats = OutputFormats()
/// formats.register(PoseFormat(), named: "pose")
/// let text = formats.format(for: bundle.manifest).text(for: prediction)
/// ```
public struct OutputFormats: Sendable {
  private static let standardNames = [
    "default", "imagenet", "image.classification.imagenet", "nodecay",
    "image.classification.nodecay",
  ]
  /// The formats that a program added.
  private var registered: [String: any OutputFormat] = [:]

  /// Makes the formats that the library has: `imagenet` and `nodecay`, both also after
  /// `image.classification.`, and `default`.
  public init() {}

  /// The names, by the alphabet.
  public var names: [String] { Set(Self.standardNames).union(registered.keys).sorted() }

  /// Gives a format a name; one that has it already goes away.
  ///
  /// - Parameters:
  ///   - format: The format.
  ///   - name: What `options.output_format` or `model.type` in a model.json says.
  public mutating func register(_ format: any OutputFormat, named name: String) {
    registered[name] = format
  }

  /// The name of a model's format: `options.output_format`, or else `model.type`, or else `default`;
  /// the first of them that is registered.
  ///
  /// A name that is not registered is not an error, since `model.type` is any text that a program
  /// chooses.
  public func name(for manifest: ModelManifest) -> String {
    [manifest.options.outputFormat, manifest.model.type].compactMap(\.self)
      .first { format(named: $0) != nil } ?? "default"
  }

  /// The format of a model, by the name that ``name(for:)`` finds.
  public func format(for manifest: ModelManifest) -> any OutputFormat {
    format(named: name(for: manifest)) ?? .propertyList
  }

  private func format(named name: String) -> (any OutputFormat)? {
    if let format = registered[name] { return format }
    switch name {
    case "imagenet", "image.classification.imagenet": return .imageNet
    case "nodecay", "image.classification.nodecay": return .noDecay
    case "default": return .propertyList
    default: return nil
    }
  }

  /// What to tell about a model whose `options.output_format` is not registered; nil where it is, or
  /// where there is none.
  public func warning(for manifest: ModelManifest) -> BundleIssue? {
    guard let name = manifest.options.outputFormat, format(named: name) == nil else { return nil }
    return BundleIssue(
      .unknownValue, severity: .warning, path: "options.output_format",
      expected: "one of " + names.map { "\"\($0)\"" }.joined(separator: ", "),
      found: "\"\(name)\"",
      suggestion:
        "Net Runner shows this model's outputs as \"\(self.name(for: manifest))\". Correct the "
        + "name, or leave it if another program knows it.")
  }
}
