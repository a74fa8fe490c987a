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
  ///
  /// The built-in ones are in a `switch`, because every start would hash the names of a dictionary.
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
  package func warning(for manifest: ModelManifest) -> BundleIssue? {
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

/// Formats a model's prediction as text.
///
/// Programs can add formats for their own models by registering them with ``OutputFormats``.
public protocol OutputFormat: Sendable {
  /// Whether the labelled values of live images are smoothed with ``LiveDecay``.
  var decays: Bool { get }

  /// Human-readable text of one or more lines, without a trailing line feed.
  func text(for prediction: Prediction) -> String
}

/// Shows the best classes, one per line: `(0.62) rocking chair`.
///
/// Outputs without labels are shown as in ``PropertyListFormat``.
public struct ImageNetFormat: OutputFormat {
  public let decays = true

  /// Creates the format.
  public init() {}

  static func best(of classification: Classification) -> Classification {
    classification.top(5, threshold: 0.1)
  }

  public func text(for prediction: Prediction) -> String {
    guard let classification = prediction.classification else {
      return PropertyListFormat().text(for: prediction)
    }
    return Self.best(of: classification).lines
  }
}

extension OutputFormat where Self == ImageNetFormat {
  /// Shows the best classes, one per line: `(0.62) rocking chair`.
  public static var imageNet: ImageNetFormat { ImageNetFormat() }
}

extension Classification {
  /// One line for each value, in order.
  var lines: String { map { "(\($0.value.hundredths)) \($0.label)" }.joined(separator: "\n") }
}

extension Float {
  /// The number with two decimals, in the same format as C's `%.2f`.
  ///
  /// A float times 100 is exact in double precision. Halves are therefore true halves, and are
  /// rounded to the even neighbour.
  fileprivate var hundredths: String {
    let hundredfold = (Double(self) * 100).rounded(.toNearestOrEven)
    guard let whole = Int64(exactly: hundredfold) else { return description }
    let sign = self.sign == .minus && !isNaN ? "-" : ""
    let rest = whole.magnitude % 100
    return "\(sign)\(whole.magnitude / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}

/// Shows all labelled values, highest first.
///
/// The values of live images aren't smoothed.
///
/// Outputs without labels are shown as in ``PropertyListFormat``.
public struct NoDecayFormat: OutputFormat {
  public let decays = false

  /// Creates the format.
  public init() {}

  public func text(for prediction: Prediction) -> String {
    prediction.classification?.top().lines ?? PropertyListFormat().text(for: prediction)
  }
}

extension OutputFormat where Self == NoDecayFormat {
  /// Shows all labelled values, highest first, without smoothing.
  public static var noDecay: NoDecayFormat { NoDecayFormat() }
}
