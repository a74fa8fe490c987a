// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// An error of this library: what went wrong, with which layer or file, and how to mend it.
///
/// Branch on ``code``; show ``message`` to a person. When a native library or the system caused
/// the failure, its own words are in the message and the error itself in ``cause``.
public struct TensorIOError: Error, Sendable {
  /// What kind of failure it is.
  public var code: Code
  /// What happened, naming the thing and both sides, as in "'x' takes 2 values, got 3".
  public var message: String
  /// The error that led to this one, if there was one.
  public var cause: (any Error)?
  /// All problems found, when a bundle failed its validation; else empty.
  public var issues: [BundleIssue]

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - message: What happened and how to mend it, as one or two sentences.
  ///   - cause: The error that led to this one.
  ///   - issues: The problems found by a validation.
  public init(
    _ code: Code, _ message: String, cause: (any Error)? = nil, issues: [BundleIssue] = []
  ) {
    self.code = code
    self.message = message
    self.cause = cause
    self.issues = issues
  }
}

extension TensorIOError: CustomStringConvertible {
  public var description: String { message }
}

extension TensorIOError {
  /// The kinds of failure.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Wrapped: String {
      case fileNotFound, unreadableFile, unwritableFile, invalidBundle, invalidModel,
        unsupportedModel
      case unknownModelClass, unknownBackend, missingLibrary
      case missingInput, unknownInput, wrongInputCount, wrongElementCount, wrongKind
      case unrepresentableValue, unknownOutput, wrongOutputType, inferenceFailed
      case trainingDiverged, invalidOption, fileExists
      case unsupportedImage, invalidImage, imageTooLarge, cancelled, internalFault
    }
    private let wrapped: Wrapped
    private init(_ wrapped: Wrapped) { self.wrapped = wrapped }

    /// A file or folder is not there.
    public static var fileNotFound: Code { Code(.fileNotFound) }
    /// A file is there but cannot be read.
    public static var unreadableFile: Code { Code(.unreadableFile) }
    /// A file or folder cannot be written or made.
    public static var unwritableFile: Code { Code(.unwritableFile) }
    /// A bundle broke a rule; ``TensorIOError/issues`` lists all of them.
    public static var invalidBundle: Code { Code(.invalidBundle) }
    /// The model's own file is not a valid model.
    public static var invalidModel: Code { Code(.invalidModel) }
    /// The model is valid, but the runtime cannot run it.
    public static var unsupportedModel: Code { Code(.unsupportedModel) }
    /// `class` in model.json names no class that the loader knows.
    public static var unknownModelClass: Code { Code(.unknownModelClass) }
    /// No backend fits the model.
    public static var unknownBackend: Code { Code(.unknownBackend) }
    /// A native library could not be found or opened.
    public static var missingLibrary: Code { Code(.missingLibrary) }
    /// A value for an input is missing.
    public static var missingInput: Code { Code(.missingInput) }
    /// A value has a name that no input has.
    public static var unknownInput: Code { Code(.unknownInput) }
    /// The number of values is not the number of inputs.
    public static var wrongInputCount: Code { Code(.wrongInputCount) }
    /// A value has too few or too many elements for its layer.
    public static var wrongElementCount: Code { Code(.wrongElementCount) }
    /// A value's kind does not fit its layer, as a picture for an array.
    public static var wrongKind: Code { Code(.wrongKind) }
    /// A number cannot be represented in the layer's data type.
    public static var unrepresentableValue: Code { Code(.unrepresentableValue) }
    /// No output has that name.
    public static var unknownOutput: Code { Code(.unknownOutput) }
    /// An output cannot be read as the type that was asked for.
    public static var wrongOutputType: Code { Code(.wrongOutputType) }
    /// The runtime failed while it ran the model.
    public static var inferenceFailed: Code { Code(.inferenceFailed) }
    /// A training step gave a loss that is no finite number.
    public static var trainingDiverged: Code { Code(.trainingDiverged) }
    /// An option has a value that makes no sense.
    public static var invalidOption: Code { Code(.invalidOption) }
    /// A file or folder is there already, and is not overwritten.
    public static var fileExists: Code { Code(.fileExists) }
    /// A picture has a format that is not supported.
    public static var unsupportedImage: Code { Code(.unsupportedImage) }
    /// A picture is damaged.
    public static var invalidImage: Code { Code(.invalidImage) }
    /// A picture exceeds the configured limits.
    public static var imageTooLarge: Code { Code(.imageTooLarge) }
    /// A ``CancellationToken`` ended the run.
    public static var cancelled: Code { Code(.cancelled) }
    /// A fault of this library.
    public static var internalFault: Code { Code(.internalFault) }

    public var description: String { wrapped.rawValue }

    /// The code whose description another process sent.
    package init?(named description: String) {
      guard let wrapped = Wrapped(rawValue: description) else { return nil }
      self.wrapped = wrapped
    }
  }
}
