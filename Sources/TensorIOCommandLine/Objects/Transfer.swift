// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CCurl
import CSystemCalls
import ModelCommands
import TensorIO

/// A download that is under way, and ends with the object.
///
/// One thread at a time uses it.
final class Transfer {
  private let library: CurlLibrary
  private let pointer: OpaquePointer

  /// Begins a download.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - isFile: Whether all bytes are kept, within the limits of images.
  ///   - position: How many bytes at the start are left out, if the server supports it.
  ///   - tag: The object's ETag, so that other bytes aren't mistaken for the rest; empty if unknown.
  /// - Throws: `TensorIOError` if libcurl is missing.
  init(_ request: ObjectRequest, isFile: Bool, from position: Int = 0, tag: String = "") throws {
    let authorities = try Self.authorities()
    library = try CurlLibrary.shared.get()
    guard let pointer = library.takeTransfer() else {
      throw TensorIOError(
        .unreadableFile, "'\(request.name)' can't be fetched: the machine is out of memory.")
    }
    self.pointer = pointer
    let store = request.store
    let range = position > 0 ? "\(position)-" : nil
    // A weak tag doesn't promise the same bytes.
    let condition =
      range == nil || tag.isEmpty || tag.hasPrefix("W/") ? nil : "If-Range: \(tag)"
    let token = store?.token.map { "x-amz-security-token: \($0)" }
    let signing = store.map { "aws:amz:\($0.region):s3" }
    let authorization = request.authorization.map { "Authorization: \($0)" }
    Self.withPointers(
      [
        request.url, authorities, range, condition, store?.credentials, signing, token,
        authorization, request.body,
      ]
    ) { texts in
      var fields = CurlRequest(
        address: texts[0], authorities: texts[1], range: texts[2], condition: texts[3],
        credentials: texts[4], signing: texts[5], token: texts[6], is_file: isFile ? 1 : 0,
        follows: store == nil && request.body == nil ? 1 : 0, authorization: texts[7],
        body: texts[8])
      curl_transfer_begin(pointer, &fields)
    }
  }

  deinit {
    curl_transfer_end(pointer)
    library.giveBack(pointer)
  }

  /// Waits until a number of bytes is there or the download is over.
  ///
  /// The bytes of the result are valid until the next call.
  func wait(for count: Int) -> CurlAnswer { curl_transfer_await(pointer, count).pointee }

  /// Removes bytes that are there.
  func take(_ count: Int) { curl_transfer_take(pointer, count) }

  private static func withPointers(
    _ texts: [String?], _ body: ([UnsafePointer<CChar>?]) -> Void
  ) {
    let copies = texts.map { text in text.flatMap { strdup($0) } }
    defer { for copy in copies { free(copy) } }
    body(copies.map { $0.map { UnsafePointer($0) } })
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
}
