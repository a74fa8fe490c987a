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
  private var formats: [String: any OutputFormat] = [
    "imagenet": .imageNet,
    "image.classification.imagenet": .imageNet,
    "nodecay": .noDecay,
    "default": .propertyList,
  ]

  /// Makes the formats that the library has: `imagenet`, `nodecay` and `default`.
  public init() {}

  /// The names, by the alphabet.
  public var names: [String] { formats.keys.sorted() }

  /// Gives a format a name; one that has it already goes away.
  ///
  /// - Parameters:
  ///   - format: The format.
  ///   - name: What `options.output_format` or `model.type` in a model.json says.
  public mutating func register(_ format: any OutputFormat, named name: String) {
    formats[name] = format
  }

  /// The format of a model: the one that `options.output_format` names, else `model.type`.
  ///
  /// A name that is not registered is no error: then the format is `default`.
  public func format(for manifest: ModelManifest) -> any OutputFormat {
    let name = manifest.options.outputFormat ?? manifest.model.type ?? "default"
    return formats[name] ?? formats["default"] ?? .propertyList
  }
}
