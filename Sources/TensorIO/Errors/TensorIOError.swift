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

  /// A placeholder has neither a value nor a default.
  package static func missingPlaceholder(_ name: String) -> TensorIOError {
    var error = TensorIOError(.missingInput, "There is no value for the placeholder '\(name)'.")
    error.subject = name
    return error
  }

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

  /// The kinds of failure.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// A file or folder is missing.
    public static let fileNotFound = Code(rawValue: "fileNotFound")
    /// A file exists but cannot be read.
    public static let unreadableFile = Code(rawValue: "unreadableFile")
    /// A file or folder cannot be written or created.
    public static let unwritableFile = Code(rawValue: "unwritableFile")
    /// A bundle is not valid; ``TensorIOError/issues`` lists all problems.
    public static let invalidBundle = Code(rawValue: "invalidBundle")
    /// The model's file is not a valid model.
    public static let invalidModel = Code(rawValue: "invalidModel")
    /// The model is valid, but the runtime cannot run it.
    public static let unsupportedModel = Code(rawValue: "unsupportedModel")
    /// The process that ran the model ended, for example because the runtime crashed.
    public static let processEnded = Code(rawValue: "processEnded")
    /// `class` in model.json names a class that the loader does not know.
    public static let unknownModelClass = Code(rawValue: "unknownModelClass")
    /// A bundle has another interface than the generated type that it was opened with.
    public static let changedInterface = Code(rawValue: "changedInterface")
    /// The loader has no backend for the model.
    public static let unknownBackend = Code(rawValue: "unknownBackend")
    /// A native library could not be found or opened.
    public static let missingLibrary = Code(rawValue: "missingLibrary")
    /// A value for an input is missing.
    public static let missingInput = Code(rawValue: "missingInput")
    /// A value has a name that no input has.
    public static let unknownInput = Code(rawValue: "unknownInput")
    /// The number of values differs from the number of inputs.
    public static let wrongInputCount = Code(rawValue: "wrongInputCount")
    /// A value has too few or too many elements for its layer.
    public static let wrongElementCount = Code(rawValue: "wrongElementCount")
    /// A value's kind does not fit its layer, such as an image for an array.
    public static let wrongKind = Code(rawValue: "wrongKind")
    /// A number cannot be represented in the layer's data type.
    public static let unrepresentableValue = Code(rawValue: "unrepresentableValue")
    /// No output has that name.
    public static let unknownOutput = Code(rawValue: "unknownOutput")
    /// An output cannot be read as the type that was asked for.
    public static let wrongOutputType = Code(rawValue: "wrongOutputType")
    /// The runtime failed while it ran the model.
    public static let inferenceFailed = Code(rawValue: "inferenceFailed")
    /// A training step returned a loss that is not finite.
    public static let trainingDiverged = Code(rawValue: "trainingDiverged")
    /// An option has an invalid value.
    public static let invalidOption = Code(rawValue: "invalidOption")
    /// A file or folder already exists and is not overwritten.
    public static let fileExists = Code(rawValue: "fileExists")
    /// An image has an unsupported format.
    public static let unsupportedImage = Code(rawValue: "unsupportedImage")
    /// An image is damaged.
    public static let invalidImage = Code(rawValue: "invalidImage")
    /// An image exceeds the configured limits.
    public static let imageTooLarge = Code(rawValue: "imageTooLarge")
    /// A run didn't end by its deadline.
    public static let deadlineExceeded = Code(rawValue: "deadlineExceeded")
    /// Too many runs of the model wait already.
    public static let overloaded = Code(rawValue: "overloaded")
    /// A ``CancellationToken`` ended the run.
    public static let cancelled = Code(rawValue: "cancelled")
    /// A bug in this library.
    public static let internalFault = Code(rawValue: "internalFault")

    public var description: String { rawValue }
  }
}

extension TensorIOError: CustomStringConvertible {
  public var description: String { message }
}

/// Joins names in single quotation marks, as in "'x', 'y'".
package func quotedList(_ names: [String]) -> String {
  names.map { "'\($0)'" }.joined(separator: ", ")
}

/// Formats a number and the thing that it counts, such as "1 image" or "2 images".
package func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
  "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
}
