// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import GRPCCore

extension RPCError {
  /// Converts what a handler throws.
  init(failure error: any Error) {
    switch error {
    case let error as RPCError: self = error
    case let failure as CallFailure:
      self.init(code: failure.kind.code, message: failure.message)
    case is CancellationError:
      self.init(code: .cancelled, message: "The client cancelled the call.")
    default:
      self.init(
        code: .internalError, message: "The server failed to respond. Its log contains the reason.",
        cause: error)
    }
  }
}

extension CallFailure.Kind {
  fileprivate var code: RPCError.Code {
    switch self {
    case .invalidArgument: .invalidArgument
    case .notFound: .notFound
    case .unauthenticated: .unauthenticated
    case .permissionDenied: .permissionDenied
    case .failedPrecondition: .failedPrecondition
    case .resourceExhausted: .resourceExhausted
    case .unavailable: .unavailable
    case .deadlineExceeded: .deadlineExceeded
    case .cancelled: .cancelled
    case .internalError: .internalError
    }
  }
}

extension Metadata {
  /// The time that the client allows for the call, or nil if it sets no limit.
  ///
  /// The value has at most eight digits and a unit (gRPC over HTTP/2, `grpc-timeout`). The transport
  /// ends calls with a value that it can't read.
  var timeout: Duration? {
    guard let text = self[stringValues: "grpc-timeout"].first(where: { _ in true }),
      let unit = text.last, (2...9).contains(text.utf8.count),
      let amount = Int64(text.dropLast()), amount >= 0
    else { return nil }
    return switch unit {
    case "H": .seconds(amount * 3600)
    case "M": .seconds(amount * 60)
    case "S": .seconds(amount)
    case "m": .milliseconds(amount)
    case "u": .microseconds(amount)
    case "n": .nanoseconds(amount)
    default: nil
    }
  }
}
#endif
