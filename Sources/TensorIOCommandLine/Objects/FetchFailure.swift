// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CCurl
import CSystemCalls
import TensorIO

/// A request that failed, and whether another one may succeed.
struct FetchFailure: Error {
  /// What happened and what to check.
  var error: TensorIOError
  /// Whether another attempt may succeed.
  var isTransient: Bool
  /// Whether the server began to respond.
  var hasResponse: Bool
  /// How long the server asks to wait, in seconds; 0 if it doesn't.
  var retrySeconds: Int

  /// Describes a download that is over.
  init(_ answer: CurlAnswer, of request: ObjectRequest) {
    let status = Int(answer.status)
    hasResponse = status != 0
    retrySeconds = Int(answer.retry_seconds)
    if answer.is_too_large != 0 {
      isTransient = false
      error = TensorIOError(
        .unreadableFile, "'\(request.name)' is larger than \(CurlMostBytes >> 20) MiB.")
    } else if answer.code != 0 {
      isTransient = Self.transientCodes.contains(Int(answer.code))
      error = TensorIOError(
        .unreadableFile, "'\(request.name)' can't be fetched: \(Self.reason(for: answer)).")
    } else {
      isTransient = [408, 429].contains(status) || (500...599 ~= status && status != 501)
      var message = "'\(request.name)' can't be fetched: the server returned status \(status)"
      if let store = request.store {
        let (text, code) = store.explanation(of: answer)
        message += text
        if ["RequestTimeout", "SlowDown"].contains(code) { isTransient = true }
      } else {
        message += "."
      }
      error = TensorIOError(status == 404 ? .fileNotFound : .unreadableFile, message)
    }
  }

  private static let transientCodes = [
    CurlUnknownHost, CurlCannotConnect, CurlBrokenStream, CurlPartialFile, CurlTimedOut,
    CurlEmptyAnswer, CurlBrokenSending, CurlBrokenConnection, CurlResetStream,
  ]

  /// Returns what happened and what to check, without a full stop.
  private static func reason(for answer: CurlAnswer) -> String {
    switch Int(answer.code) {
    case CurlMalformedAddress: return "it isn't the URL of a file"
    case CurlUnsupportedProtocol:
      return "it leads to a URL that begins with neither https nor http"
    case CurlUnknownHost: return "its host name is unknown; check the URL"
    case CurlCannotConnect: return "its server \(connectionFault(answer))"
    case CurlTimedOut where answer.was_connected == 0:
      return "its server couldn't be reached within \(CurlConnectSeconds) seconds; check "
        + "the URL and the network"
    case CurlTimedOut where answer.text(\.reason).contains("too slow"):
      return "the server sent nothing for \(CurlSilentSeconds) seconds"
    case CurlTimedOut: return "it took more than a minute"
    case CurlTooManyRedirections:
      return "its server redirects more than \(CurlMostRedirections) times"
    case CurlUnknownOption: return "its request can't be signed; install libcurl 7.75 or later"
    case CurlWeirdAnswer: return "its server doesn't speak HTTP; check the port and the URL"
    case CurlEmptyAnswer, CurlBrokenConnection, CurlBrokenSending, CurlPartialFile:
      return "its server closed the connection too early; check the port, and whether the URL "
        + "must begin with https or http"
    case CurlTLSFailed:
      return "its server doesn't speak TLS; check the port, and whether the URL must begin with "
        + "https or http"
    case CurlRefusedCertificate, CurlUnusableAuthorities: return certificateFault(answer)
    default: return "\(answer.text(\.reason))"
    }
  }

  private static func connectionFault(_ answer: CurlAnswer) -> String {
    switch CInt(answer.system_error) {
    case ECONNREFUSED: "refused the connection; check the URL, and that the server is running"
    case ENETUNREACH, EHOSTUNREACH: "is on a network that this machine can't reach"
    case 0: "couldn't be reached: \(answer.text(\.reason))"
    case let code: "couldn't be reached: \(String(cString: strerror(code)))"
    }
  }

  private static func certificateFault(_ answer: CurlAnswer) -> String {
    let text = answer.text(\.reason)
    if text.contains("expired") {
      return
        "its server's certificate has expired; renew it, or correct this machine's clock"
    }
    if text.contains("subject name") || text.contains("does not match") {
      return
        "its server's certificate is for another host; use the host name of the certificate"
    }
    return "its server's certificate is from an authority that this machine doesn't trust; set "
      + "SSL_CERT_FILE to a file with the authority's certificate"
  }
}

extension CurlAnswer {
  /// Returns one of the texts.
  func text<Value>(_ field: KeyPath<CurlAnswer, Value>) -> String {
    withUnsafeBytes(of: self[keyPath: field]) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
