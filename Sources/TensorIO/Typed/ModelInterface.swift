// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// What a program relies on in a bundle: the names, types and labels of its inputs and outputs.
///
/// A type that `tensorio generate` writes has the interface of its bundle. It refuses a bundle with
/// another one. A change that no caller notices, such as the size of an image, is none of the
/// interface.
///
/// ```swift
/// print(ModelInterface(of: try ModelBundle("digits.tiobundle")))
/// // input 'image': an image
/// // output 'classification': 10 values, 10 labels c0d8c9a2b1f36e05
/// ```
public struct ModelInterface: Sendable, Hashable, CustomStringConvertible {
  /// A line for each layer.
  public let description: String

  /// Makes an interface from its description.
  public init(_ description: String) { self.description = description }

  /// Describes the interface of a bundle.
  public init(of bundle: ModelBundle) {
    let manifest = bundle.manifest
    var lines: [String] = []
    for (role, layers) in [
      ("input", manifest.inputs), ("placeholder", manifest.placeholders),
      ("output", manifest.outputs),
    ] {
      for layer in layers {
        // Each layer has one line, whatever its name contains.
        let name = layer.name.split(separator: "\n", omittingEmptySubsequences: false)
          .joined(separator: "\\n")
        lines.append("\(role) '\(name)': \(LayerContent(of: layer, in: bundle))")
      }
    }
    if manifest.describesTraining { lines.append("can be trained") }
    description = lines.joined(separator: "\n")
  }
}

extension ModelBundle {
  /// Checks that the bundle has the interface that a generated type was made for.
  ///
  /// - Parameters:
  ///   - interface: The interface of the type.
  ///   - type: The type's name, for the error.
  /// - Throws: ``TensorIOError`` with the code ``TensorIOError/Code/changedInterface`` that names the
  ///   layers that differ.
  public func check(_ interface: ModelInterface, of type: String) throws {
    let own = ModelInterface(of: self)
    guard own != interface else { return }
    let (expected, found) = (interface.lines, own.lines)
    let missing = expected.filter { !found.contains($0) }
    let added = found.filter { !expected.contains($0) }
    let difference =
      missing.isEmpty && added.isEmpty
      ? "its layers are in another order."
      : "expected \(Self.listed(missing)), found \(Self.listed(added))."
    throw TensorIOError(
      .changedInterface,
      "'\(path)' doesn't fit the type \(type), which was generated from another bundle: \(difference) "
        + "Use the bundle that it was made of, or generate the type again: with 'tensorio generate', "
        + "or by a build with the plugin."
    )
  }

  private static func listed(_ lines: [String]) -> String {
    guard !lines.isEmpty else { return "no other layer" }
    let rest = lines.count > 3 ? ", and \(lines.count - 3) more" : ""
    return lines.prefix(3).joined(separator: ", ") + rest
  }
}

extension ModelInterface {
  fileprivate var lines: [String] { description.split(separator: "\n").map(String.init) }
}
