// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CCurl
import CSystemCalls
import ModelCommands
import TensorIO

/// Downloads images that a user or a dataset names by their address, with libcurl.
enum ImageDownload {
  static func isAddress(_ path: String) -> Bool {
    path.hasPrefix("https://") || path.hasPrefix("http://")
  }

  /// Downloads the bytes at an address, and blocks the thread for up to a minute.
  static func bytes(_ address: String) throws -> [UInt8] {
    let authorities = try authorities()
    guard let answer = try CurlLibrary.shared.get().fetch(address, trusting: authorities) else {
      throw failure(address, "the machine is out of memory")
    }
    defer { free(answer.bytes) }
    if answer.is_too_large != 0 {
      throw TensorIOError(
        .unreadableFile, "'\(address)' is larger than \(CurlMostBytes >> 20) MiB.")
    }
    guard answer.code == 0 else { throw failure(address, reason(for: answer)) }
    guard answer.status == 200 else {
      throw TensorIOError(
        answer.status == 404 ? .fileNotFound : .unreadableFile,
        "'\(address)' can't be fetched: the server returned status \(answer.status).")
    }
    return Array(UnsafeBufferPointer(start: answer.bytes, count: answer.count))
  }

  /// Returns the file in `SSL_CERT_FILE`, whose authorities replace the system's, as in OpenSSL.
  private static func authorities() throws -> String? {
    guard let file = getenv("SSL_CERT_FILE").map({ String(cString: $0) }), !file.isEmpty else {
      return nil
    }
    do {
      let text = String(decoding: try FileSystem.read(file), as: UTF8.self)
      guard text.contains("-----BEGIN CERTIFICATE-----") else {
        throw TensorIOError(
          .unreadableFile,
          "'\(file)' has no certificate. Expected PEM, which begins with "
            + "'-----BEGIN CERTIFICATE-----'.")
      }
      return file
    } catch let error as TensorIOError {
      throw error.saying(before: "The file in SSL_CERT_FILE can't be used. ")
    }
  }

  private static func failure(_ address: String, _ reason: String) -> TensorIOError {
    TensorIOError(.unreadableFile, "'\(address)' can't be fetched: \(reason).")
  }

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
    case CurlTimedOut where text(of: answer).contains("too slow"):
      return "the server sent nothing for \(CurlSilentSeconds) seconds"
    case CurlTimedOut: return "it took more than a minute"
    case CurlTooManyRedirections:
      return "its server redirects more than \(CurlMostRedirections) times"
    case CurlWeirdAnswer: return "its server doesn't speak HTTP; check the port and the URL"
    case CurlEmptyAnswer, CurlBrokenConnection, CurlPartialFile:
      return "its server closed the connection too early; check the port, and whether the URL "
        + "must begin with https or http"
    case CurlTLSFailed:
      return "its server doesn't speak TLS; check the port, and whether the URL must begin with "
        + "https or http"
    case CurlRefusedCertificate, CurlUnusableAuthorities: return certificateFault(answer)
    default: return "\(text(of: answer))"
    }
  }

  private static func connectionFault(_ answer: CurlAnswer) -> String {
    switch CInt(answer.system_error) {
    case ECONNREFUSED: "refused the connection; check the URL, and that the server is running"
    case ENETUNREACH, EHOSTUNREACH: "is on a network that this machine can't reach"
    case 0: "couldn't be reached: \(text(of: answer))"
    case let code: "couldn't be reached: \(String(cString: strerror(code)))"
    }
  }

  private static func certificateFault(_ answer: CurlAnswer) -> String {
    let text = text(of: answer)
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

  private static func text(of answer: CurlAnswer) -> String {
    withUnsafeBytes(of: answer.reason) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
