// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
package import CryptoKit
package import Foundation

package typealias SHA256 = CryptoKit.SHA256

extension SHA256 {
  package static func findLibrary() throws -> String { "CryptoKit" }

  package static func start() throws -> SHA256 { SHA256() }

  package static func digest(of bytes: some DataProtocol) throws -> Digest { hash(data: bytes) }
}
#else
import NativeLibrary
import TensorIO

/// SHA-256, computed by the system's libcrypto.
///
/// It has the interface of CryptoKit's type, except that ``start()`` throws if the machine doesn't
/// have libcrypto.
package struct SHA256: ~Copyable {
  private let crypto: LibCrypto
  private let context: OpaquePointer

  private init(_ crypto: LibCrypto, _ context: OpaquePointer) {
    self.crypto = crypto
    self.context = context
  }

  /// Returns the path of the library that computes the hashes.
  package static func findLibrary() throws -> String { try LibCrypto.shared.get().path }

  /// - Throws: `TensorIOError` with `.missingLibrary` if libcrypto is missing or has no SHA-256.
  package static func start() throws -> SHA256 {
    let crypto = try LibCrypto.shared.get()
    guard let context = crypto.newContext() else { throw crypto.refusal }
    let hash = SHA256(crypto, context)
    guard crypto.begin(context, crypto.sha256(), nil) == 1 else { throw crypto.refusal }
    return hash
  }

  deinit { crypto.freeContext(context) }

  package mutating func update(data: some Sequence<UInt8>) {
    let isHashed: Void? = data.withContiguousStorageIfAvailable { add(UnsafeRawBufferPointer($0)) }
    if isHashed == nil { Array(data).withUnsafeBytes { add($0) } }
  }

  package mutating func update(bufferPointer bytes: UnsafeRawBufferPointer) { add(bytes) }

  private func add(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    _ = crypto.add(context, start, bytes.count)
  }

  package consuming func finalize() -> Digest {
    Digest(
      bytes: Array(unsafeUninitializedCapacity: Digest.byteCount) { bytes, count in
        _ = crypto.end(context, bytes.baseAddress, nil)
        count = Digest.byteCount
      })
  }

  package static func digest(of bytes: some Sequence<UInt8>) throws -> Digest {
    var hash = try start()
    hash.update(data: bytes)
    return hash.finalize()
  }

  package struct Digest: Hashable, Sendable, Sequence {
    package static let byteCount = 32

    fileprivate let bytes: [UInt8]

    package func makeIterator() -> IndexingIterator<[UInt8]> { bytes.makeIterator() }
  }
}

/// OpenSSL's libcrypto, which is opened when the first hash is computed.
///
/// Linking it would add a millisecond and 1.4 MB to every start, even when nothing is hashed.
struct LibCrypto: Sendable {
  /// The instance that the process shares, which stays loaded.
  static let shared = Result { () throws(TensorIOError) in try LibCrypto() }

  let path: String

  let newContext: @convention(c) @Sendable () -> OpaquePointer?
  let freeContext: @convention(c) @Sendable (OpaquePointer?) -> Void
  let sha256: @convention(c) @Sendable () -> OpaquePointer?
  let begin: @convention(c) @Sendable (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> CInt
  let add: @convention(c) @Sendable (OpaquePointer?, UnsafeRawPointer?, Int) -> CInt
  let end:
    @convention(c) @Sendable (OpaquePointer?, UnsafeMutablePointer<UInt8>?, OpaquePointer?) -> CInt

  private init() throws(TensorIOError) {
    let library = try NativeLibrary(
      "libcrypto, which computes the hashes of models and images,",
      fileNames: ["libcrypto.so.3", "libcrypto.so.1.1"], overriddenBy: "TENSORIO_CRYPTO_LIBRARY",
      installedBy: "run 'apt-get install libssl3'")
    path = library.path
    newContext = try library.function("EVP_MD_CTX_new")
    freeContext = try library.function("EVP_MD_CTX_free")
    sha256 = try library.function("EVP_sha256")
    begin = try library.function("EVP_DigestInit_ex")
    add = try library.function("EVP_DigestUpdate")
    end = try library.function("EVP_DigestFinal_ex")
    // Skip the system's configuration, which may disable algorithms.
    let initialize: @convention(c) (UInt64, OpaquePointer?) -> CInt = try library.function(
      "OPENSSL_init_crypto")
    let withoutConfiguration: UInt64 = 0x80
    guard initialize(withoutConfiguration, nil) == 1 else {
      throw TensorIOError(.missingLibrary, "'\(library.path)' could not be set up.")
    }
  }

  var refusal: TensorIOError {
    TensorIOError(
      .missingLibrary,
      "'\(path)' can't compute SHA-256: it doesn't allow it, or the system is out of memory.")
  }
}
#endif

extension SHA256.Digest {
  /// The digest in hexadecimal, with two digits for each byte.
  package var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
