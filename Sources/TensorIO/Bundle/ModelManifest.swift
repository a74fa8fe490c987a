// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The content of a model.json: a description of the model, its inputs and its outputs.
public struct ModelManifest: Sendable, Hashable {
  /// The model's name.
  public var name: String
  /// A description of what the model does.
  public var details: String
  /// The model's identifier.
  public var id: String
  /// The model's version.
  public var version: String
  /// The author of the model.
  public var author: String
  /// The model's license.
  public var license: String
  /// The model file, and how to run it.
  public var model: ModelFile
  /// The input layers, in order.
  public var inputs: [Layer]
  /// The output layers, in order.
  public var outputs: [Layer]
  /// The placeholders: layers that are fed in addition to the inputs, in order.
  public var placeholders: [Layer]
  /// Whether the bundle has no model file, so that its runs return no outputs.
  public var isPlaceholder: Bool
  /// Hints for programs that use the model.
  public var options: ModelOptions
  /// The operations that a training step runs; empty when the model cannot be trained.
  public var trainingOperations: [String]

  /// Whether the model can be trained: it has the mode `train` and the operations of a training
  /// step.
  public var describesTraining: Bool { model.modes.contains(.train) && !trainingOperations.isEmpty }

  /// The `model` field.
  public struct ModelFile: Sendable, Hashable {
    /// The name of the .tflite file or SavedModel folder in the bundle.
    public var file: String
    /// Whether the model reads and writes 8-bit integers.
    public var isQuantized: Bool
    /// The backend's name; nil when the kind of the model file determines it.
    public var backend: String?
    /// A free-form name for the type of model.
    public var type: String?
    /// The name of the program's own class for the model.
    public var className: String?
    /// What the model can do.
    public var modes: ModelModes
    /// The key of the signature to run; nil uses the model's first.
    public var signature: String?
    /// The name of the safetensors file in the bundle whose weights replace those of the model
    /// file; nil uses the model file's own.
    public var weights: String?
  }

  /// One entry of `inputs`, `outputs` or `placeholders`.
  public struct Layer: Sendable, Hashable {
    /// The layer's name.
    public var name: String
    /// The lengths of the axes; a leading -1 is the batch axis.
    public var shape: [Int]
    /// The data type, if the layer names one.
    public var dataType: DataType?
    /// What the values mean.
    public var kind: Kind
    /// How an output is decoded, perhaps with others, or an input is made from a sound, a text or a
    /// row of a table; nil for values that are written and read as they are.
    public var coding: LayerCoding?

    /// What the values of a layer mean; labels are given by the name of their file.
    public enum Kind: Sendable, Hashable {
      /// An array of numbers.
      case array(Quantization?, labelsFile: String?)
      /// One number.
      case scalar(Quantization?)
      /// An image input.
      case imageInput(ImageShape, ImagePreprocessing)
      /// An image output.
      case imageOutput(ImageShape, PixelDenormalization?)
      /// A class for each pixel.
      case classMap(ClassMapShape, labelsFile: String?)
      /// Raw bytes or text.
      case string
    }
  }
}

/// What a model can do.
public struct ModelModes: OptionSet, Sendable, Hashable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Inference.
  public static let predict = ModelModes(rawValue: 1)
  /// Training.
  public static let train = ModelModes(rawValue: 2)
  /// Evaluation.
  public static let evaluate = ModelModes(rawValue: 4)
}

/// A model's hints for the programs that use it, none of which changes a result.
public struct ModelOptions: Sendable, Hashable {
  /// The camera to start with.
  public var devicePosition: DevicePosition?
  /// How the outputs should be shown.
  public var outputFormat: String?
  /// All options in model.json, including those above and any others.
  public var values: [String: JSONValue] = [:]

  /// A camera of a device.
  public enum DevicePosition: String, Sendable {
    /// The camera that faces the user.
    case front
    /// The camera that faces away from the user.
    case back
  }
}

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
