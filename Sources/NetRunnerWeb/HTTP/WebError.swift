// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// What went wrong with a request, as clients get it.
struct WebError: Error, Hashable {
  /// The answer's status.
  var status: HTTPResponse.Status
  /// What programs tell errors apart by, such as `model_not_found`.
  var code: String
  /// A sentence for a person: what happened, and how to mend it.
  var message: String
  /// The answer's further header fields.
  var headers: HTTPFields = [:]
}
