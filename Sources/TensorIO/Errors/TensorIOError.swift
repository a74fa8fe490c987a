// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// An error of this library: what went wrong, with which layer or file, and how to fix it.
///
/// Branch on ``code`` and show ``message`` to people. If a native library or the system caused the
/// failure, the message includes its text and ``cause`` is the underlying error.
public struct TensorIOError: Error, Sendable {
  /// The kind of failure.
  public var code: Code
  /// What happened, to what, and what was expected and found, as in "'x' takes 2 values, got 3".
  public var message: String
  /// The underlying error, if there is one.
  public var cause: (any Error)?
  /// All problems that a validation found in a bundle; empty for other errors.
  public var issues: [BundleIssue]
  /// The name of the layer or placeholder that the error is about, if a program needs it.
  package var subject: String?
  /// The files and folders that the message may name, if a program shows them under other names.
  package var paths: [String] = []

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - message: What happened and how to fix it, in one or two sentences.
  ///   - cause: The underlying error.
  ///   - issues: The problems that a validation found.
  public init(
    _ code: Code, _ message: String, cause: (any Error)? = nil, issues: [BundleIssue] = []
  ) {
    self.code = code
    self.message = message
    self.cause = cause
    self.issues = issues
  }
}

extension TensorIOError {
  /// A placeholder has neither a value nor a default.
  package static func missingPlaceholder(_ name: String) -> TensorIOError {
    var error = TensorIOError(.missingInput, "There is no value for the placeholder '\(name)'.")
    error.subject = name
    return error
  }
}

extension TensorIOError {
  /// Returns the error with paths that its message may name.
  package func about(_ paths: String...) -> TensorIOError {
    var error = self
    error.paths += paths
    return error
  }

  /// Returns the error with a message that shows the paths under other names.
  package func naming(_ name: (_ path: String) -> String) -> TensorIOError {
    var error = self
    error.message = paths.reduce(message) { $0.replacing($1, with: name($1)) }
    return error
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

    /// A file or folder is missing.
    public static var fileNotFound: Code { Code(.fileNotFound) }
    /// A file exists but cannot be read.
    public static var unreadableFile: Code { Code(.unreadableFile) }
    /// A file or folder cannot be written or created.
    public static var unwritableFile: Code { Code(.unwritableFile) }
    /// A bundle is not valid; ``TensorIOError/issues`` lists all problems.
    public static var invalidBundle: Code { Code(.invalidBundle) }
    /// The model's file is not a valid model.
    public static var invalidModel: Code { Code(.invalidModel) }
    /// The model is valid, but the runtime cannot run it.
    public static var unsupportedModel: Code { Code(.unsupportedModel) }
    /// `class` in model.json names a class that the loader does not know.
    public static var unknownModelClass: Code { Code(.unknownModelClass) }
    /// The loader has no backend for the model.
    public static var unknownBackend: Code { Code(.unknownBackend) }
    /// A native library could not be found or opened.
    public static var missingLibrary: Code { Code(.missingLibrary) }
    /// A value for an input is missing.
    public static var missingInput: Code { Code(.missingInput) }
    /// A value has a name that no input has.
    public static var unknownInput: Code { Code(.unknownInput) }
    /// The number of values differs from the number of inputs.
    public static var wrongInputCount: Code { Code(.wrongInputCount) }
    /// A value has too few or too many elements for its layer.
    public static var wrongElementCount: Code { Code(.wrongElementCount) }
    /// A value's kind does not fit its layer, such as an image for an array.
    public static var wrongKind: Code { Code(.wrongKind) }
    /// A number cannot be represented in the layer's data type.
    public static var unrepresentableValue: Code { Code(.unrepresentableValue) }
    /// No output has that name.
    public static var unknownOutput: Code { Code(.unknownOutput) }
    /// An output cannot be read as the type that was asked for.
    public static var wrongOutputType: Code { Code(.wrongOutputType) }
    /// The runtime failed while it ran the model.
    public static var inferenceFailed: Code { Code(.inferenceFailed) }
    /// A training step returned a loss that is not finite.
    public static var trainingDiverged: Code { Code(.trainingDiverged) }
    /// An option has an invalid value.
    public static var invalidOption: Code { Code(.invalidOption) }
    /// A file or folder already exists and is not overwritten.
    public static var fileExists: Code { Code(.fileExists) }
    /// An image has an unsupported format.
    public static var unsupportedImage: Code { Code(.unsupportedImage) }
    /// An image is damaged.
    public static var invalidImage: Code { Code(.invalidImage) }
    /// An image exceeds the configured limits.
    public static var imageTooLarge: Code { Code(.imageTooLarge) }
    /// A ``CancellationToken`` ended the run.
    public static var cancelled: Code { Code(.cancelled) }
    /// A bug in this library.
    public static var internalFault: Code { Code(.internalFault) }

    public var description: String { wrapped.rawValue }

    /// Makes the code from a description that another process sent.
    package init?(named description: String) {
      guard let wrapped = Wrapped(rawValue: description) else { return nil }
      self.wrapped = wrapped
    }
  }
}

/// Joins names in single quotation marks, as in "'x', 'y'".
package func quotedList(_ names: [String]) -> String {
  names.map { "'\($0)'" }.joined(separator: ", ")
}

/// Formats a number and the thing that it counts, such as "1 image" or "2 images".
package func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
  "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
}
