// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
/// What may be better when it is tried again.
struct TransientFailure: Error {
  /// What is thrown when it is not.
  var error: ModelRepositoryClientError
  /// How long the server wants to be left alone.
  var retryAfter: Duration?
  /// Whether anything came before the failure.
  var madeProgress = false
}
#endif
