// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
package import CryptoKit
package import Foundation

package typealias SHA256 = CryptoKit.SHA256

extension SHA256 {
  package static func start() throws -> SHA256 { SHA256() }

  package static func digest(of bytes: some DataProtocol) throws -> Digest { hash(data: bytes) }
}
#else

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

  /// Starts a hash.
  ///
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

  /// Returns the digest of everything that was hashed.
  package consuming func finalize() -> Digest {
    Digest(
      bytes: Array(unsafeUninitializedCapacity: Digest.byteCount) { bytes, count in
        _ = crypto.end(context, bytes.baseAddress, nil)
        count = Digest.byteCount
      })
  }

  /// Returns the digest of some bytes.
  ///
  /// - Throws: The errors of ``start()``.
  package static func digest(of bytes: some Sequence<UInt8>) throws -> Digest {
    var hash = try start()
    hash.update(data: bytes)
    return hash.finalize()
  }

  /// A digest of 32 bytes.
  package struct Digest: Hashable, Sendable, Sequence {
    package static let byteCount = 32

    fileprivate let bytes: [UInt8]

    package func makeIterator() -> IndexingIterator<[UInt8]> { bytes.makeIterator() }
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
