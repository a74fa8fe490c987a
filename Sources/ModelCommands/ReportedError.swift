// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

package import TensorIO

/// An error that is reported in one sentence, without the usage text.
package protocol ReportedError: Error {
  /// The message for users.
  var message: String { get }
  /// The exit code, which shows a script what kind of failure it was.
  var exitCode: Int32 { get }
}

extension TensorIOError: ReportedError {
  /// Returns an error of the same kind that says more, with this one as its cause.
  package func saying(before: String = "", after: String = "") -> TensorIOError {
    TensorIOError(code, before + message + after, cause: self)
  }

  /// The paths where a missing library was searched, line by line; nil for any other error.
  package var searchedPlaces: String? {
    guard code == .missingLibrary else { return nil }
    var cause = self.cause
    while let error = cause as? TensorIOError { cause = error.cause }
    // If there is a single path, the message has it already.
    return cause.map { "\($0)" }.flatMap { $0.split(separator: "\n").count > 2 ? $0 : nil }
  }

  package var exitCode: Int32 {
    switch code {
    case .fileNotFound: 66
    case .missingLibrary: 69
    case .fileExists, .invalidOption: 64
    case .internalFault: 70
    default: 65
    }
  }
}
