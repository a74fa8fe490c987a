// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes

/// Statuses that HTTPTypes doesn't define.
enum HTTPStatus {
  static let insufficientStorage = HTTPResponse.Status(
    code: 507, reasonPhrase: "Insufficient Storage")
  static let preconditionRequired = HTTPResponse.Status(
    code: 428, reasonPhrase: "Precondition Required")
}
#endif
