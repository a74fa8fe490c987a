// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
package import CryptoKit

package typealias SHA256 = CryptoKit.SHA256

extension SHA256 {
  /// Does nothing, because Apple's systems have CryptoKit.
  package static func requireLibrary() throws {}
}
#else
import TensorIO

/// SHA-256, computed by the system's libcrypto.
///
/// It has the same interface as CryptoKit's type of that name. If the machine may not have
/// libcrypto, call ``requireLibrary()`` first, because a hash that cannot be computed ends the
/// process.
package struct SHA256: ~Copyable {
  private let crypto: LibCrypto
  private let context: OpaquePointer

  package init() {
    do {
      crypto = try LibCrypto.shared.get()
    } catch {
      fatalError(error.message)
    }
    // LibCrypto has computed a SHA-256 before, so only a lack of memory remains.
    guard let context = crypto.newContext(), crypto.begin(context, crypto.sha256(), nil) == 1 else {
      fatalError("The system is out of memory.")
    }
    self.context = context
  }

  deinit { crypto.freeContext(context) }

  /// Opens libcrypto.
  ///
  /// - Throws: `TensorIOError` with `.missingLibrary` when the machine doesn't have it.
  package static func requireLibrary() throws { _ = try LibCrypto.shared.get() }

  /// Hashes more bytes.
  package mutating func update(data: some Sequence<UInt8>) {
    let isHashed: Void? = data.withContiguousStorageIfAvailable { add(UnsafeRawBufferPointer($0)) }
    if isHashed == nil { Array(data).withUnsafeBytes { add($0) } }
  }

  /// Hashes more bytes.
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
  package static func hash(data: some Sequence<UInt8>) -> Digest {
    var hash = SHA256()
    hash.update(data: data)
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
