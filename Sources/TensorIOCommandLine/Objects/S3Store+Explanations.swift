// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CCurl
import TensorIO

extension S3Store {
  /// Returns the end of a message, after the status of a response, and the store's code for the failure.
  func explanation(of answer: CurlAnswer) -> (text: String, code: String) {
    let document = S3Document(Array(UnsafeBufferPointer(start: answer.bytes, count: answer.count)))
    let code = document.text("Code") ?? ""
    var text = code.isEmpty ? "." : " (\(code))."
    if let message = document.text("Message"), !message.isEmpty {
      text += " \(message.prefix(200))" + (message.hasSuffix(".") ? "" : ".")
    }
    if let suggestion = suggestion(code, Int(answer.status), answer, document) {
      text += " " + suggestion
    }
    return (text, code)
  }

  private func suggestion(
    _ code: String, _ status: Int, _ answer: CurlAnswer, _ document: S3Document
  ) -> String? {
    let found = document.text("Region") ?? answer.text(\.region)
    if !found.isEmpty, found != region { return "Set AWS_REGION to \(found)." }
    switch code {
    case "ExpiredToken", "InvalidToken":
      return "Set AWS_SESSION_TOKEN and the keys to new ones, or leave it unset for permanent keys."
    case "InvalidAccessKeyId", "SignatureDoesNotMatch":
      return "Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
    case "RequestTimeTooSkewed": return "Correct this machine's clock."
    case "NoSuchBucket": return "Check the bucket's name, AWS_REGION and AWS_ENDPOINT_URL_S3."
    case "NoSuchKey": return "Check the key."
    case _ where [301, 307].contains(status): return "Set AWS_REGION to the bucket's region."
    case _ where [401, 403].contains(status):
      return credentials == nil
        ? "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
        : "Check that the key in AWS_ACCESS_KEY_ID may read and list the bucket."
    default: return nil
    }
  }
}
