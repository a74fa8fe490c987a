// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// An identifier of a model and its variant:
/// `tio:///models/{m}/hyperparameters/{h}/checkpoints/{c}`.
///
/// Text in any other form is not an identifier.
public struct ModelID: Hashable, Sendable, LosslessStringConvertible {
  /// The model.
  public let model: String
  /// The hyperparameters that the model was trained with.
  public let hyperparameters: String
  /// The checkpoint of that training.
  public let checkpoint: String

  /// Parses an identifier; nil when the text has another form.
  public init?(_ description: String) {
    let prefix = "tio:///"
    guard description.hasPrefix(prefix) else { return nil }
    let parts = description.dropFirst(prefix.count)
      .split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 6, parts[0] == "models", parts[2] == "hyperparameters",
      parts[4] == "checkpoints", parts.allSatisfy({ !$0.isEmpty }),
      parts.allSatisfy({ $0.allSatisfy(Self.isPathCharacter) })
    else { return nil }
    (model, hyperparameters, checkpoint) = (parts[1], parts[3], parts[5])
  }

  private static func isPathCharacter(_ character: Character) -> Bool {
    !character.isWhitespace && character != "?" && character != "#"
      && character.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }

  public var description: String {
    "tio:///models/\(model)/hyperparameters/\(hyperparameters)/checkpoints/\(checkpoint)"
  }
}
