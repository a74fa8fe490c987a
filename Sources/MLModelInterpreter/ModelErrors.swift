// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import ModelRepositoryClient
import TensorIO

/// The codes of this module's errors.
///
/// The errors are `NSError`s, which code for ML Kit expects.
public enum MLErrorCode: Int, Sendable {
  /// Another failure.
  case unknown = 2
  /// A format, a value or a name is invalid.
  case invalidArgument = 3
  /// The model is missing.
  case notFound = 5
  /// The model can't be used, or the manager isn't configured.
  case failedPrecondition = 9
  /// This library has a bug.
  case `internal` = 13
  /// The repository can't be reached or refuses the request, or the download conditions aren't met.
  case unavailable = 14
}

extension MLErrorCode {
  /// The domain of the errors.
  public static let domain = "com.firebase.ml"
}

/// Creates an `NSError`, which code for ML Kit expects.
func makeError(_ code: MLErrorCode, _ message: String) -> NSError {
  NSError(
    domain: MLErrorCode.domain, code: code.rawValue, userInfo: [NSLocalizedDescriptionKey: message])
}

/// Converts an error of the runtime or of a repository to an `NSError`, which code for ML Kit
/// expects.
func makeError(_ error: any Error) -> NSError {
  switch error {
  case let error as TensorIOError:
    let code: MLErrorCode =
      switch error.code {
      case .fileNotFound: .notFound
      case .internalFault: .internal
      default: .failedPrecondition
      }
    return makeError(code, error.message)
  case let error as ModelRepositoryClientError:
    let code: MLErrorCode =
      switch error.code {
      case .notFound: .notFound
      case .connectionFailed, .serverError, .timedOut, .conditionsNotMet, .conditionUnknown:
        .unavailable
      default: .failedPrecondition
      }
    return makeError(code, error.message)
  case let error as NSError where error.domain == MLErrorCode.domain: return error
  default: return makeError(.unknown, "\(error)")
  }
}
#endif
