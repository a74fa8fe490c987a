// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
/// A failure that a retry may fix.
struct TransientFailure: Error {
  /// The error to throw if no retry succeeds.
  var error: ModelRepositoryClientError
  /// The time that the server asked to wait before a retry.
  var retryAfter: Duration?
  /// Whether new bytes arrived before the failure.
  var madeProgress = false
}
#endif
