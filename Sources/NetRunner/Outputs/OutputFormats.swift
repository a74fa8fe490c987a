// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// The output formats, by name.
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
  /// The formats that the program registered.
  private var registered: [String: any OutputFormat] = [:]

  /// Creates the library's own formats: `imagenet`, `nodecay` and `default`.
  ///
  /// The first two are also available as `image.classification.imagenet` and
  /// `image.classification.nodecay`.
  public init() {}

  /// The names in alphabetical order.
  public var names: [String] { Set(Self.standardNames).union(registered.keys).sorted() }

  /// Registers a format under a name, and replaces a format that has the same name.
  ///
  /// - Parameters:
  ///   - format: The format.
  ///   - name: The value of `options.output_format` or `model.type` in a model.json.
  public mutating func register(_ format: any OutputFormat, named name: String) {
    registered[name] = format
  }

  /// The name of a model's format.
  ///
  /// It is the first of `options.output_format` and `model.type` that is registered, or `default`.
  ///
  /// A name that isn't registered isn't an error, because programs can choose any text as
  /// `model.type`.
  public func name(for manifest: ModelManifest) -> String {
    [manifest.options.outputFormat, manifest.model.type].compactMap(\.self)
      .first { format(named: $0) != nil } ?? "default"
  }

  /// A model's format, under the name that ``name(for:)`` returns.
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

  /// A warning if a model's `options.output_format` isn't registered, otherwise nil.
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
