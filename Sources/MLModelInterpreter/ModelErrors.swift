// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import ModelRepositoryClient
import TensorIO

/// What the errors of this module are known by: `NSError`s, as code for ML Kit catches them.
public enum MLErrorCode: Int, Sendable {
  /// Something else.
  case unknown = 2
  /// A format, a value or a name that cannot be.
  case invalidArgument = 3
  /// There is no such model.
  case notFound = 5
  /// The model cannot be used, or the manager was not configured.
  case failedPrecondition = 9
  /// A fault of this library.
  case `internal` = 13
  /// The repository cannot be reached, or refuses.
  case unavailable = 14
}

extension MLErrorCode {
  /// The domain of the errors.
  public static let domain = "com.firebase.ml"
}

/// Makes an error as ML Kit's code catches it.
func makeError(_ code: MLErrorCode, _ message: String) -> NSError {
  NSError(
    domain: MLErrorCode.domain, code: code.rawValue, userInfo: [NSLocalizedDescriptionKey: message])
}

/// An error of the runtime, or of a repository, as ML Kit's code catches it.
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
