// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if !canImport(CryptoKit)
import NativeLibrary
package import TensorIO

/// OpenSSL's libcrypto, which is opened when the first hash is computed.
///
/// Linking it would add a millisecond and 1.4 MB to every start, even when nothing is hashed.
package struct LibCrypto: Sendable {
  /// The instance that the process shares.
  ///
  /// It stays loaded.
  package static let shared = Result { () throws(TensorIOError) in try LibCrypto() }

  package let path: String

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
    func function<Function>(
      _ name: String, as type: Function.Type = Function.self
    ) throws(TensorIOError) -> Function {
      guard let symbol = library.symbol(name) else {
        throw TensorIOError(
          .missingLibrary, "'\(library.path)' isn't a usable libcrypto: it has no \(name).")
      }
      return unsafeBitCast(symbol, to: type)
    }
    path = library.path
    newContext = try function("EVP_MD_CTX_new")
    freeContext = try function("EVP_MD_CTX_free")
    sha256 = try function("EVP_sha256")
    begin = try function("EVP_DigestInit_ex")
    add = try function("EVP_DigestUpdate")
    end = try function("EVP_DigestFinal_ex")
    // Skip the system's configuration, which may disable algorithms.
    let initialize: @convention(c) (UInt64, OpaquePointer?) -> CInt = try function(
      "OPENSSL_init_crypto")
    let withoutConfiguration: UInt64 = 0x80
    guard initialize(withoutConfiguration, nil) == 1 else {
      throw TensorIOError(.missingLibrary, "'\(library.path)' could not be set up.")
    }
  }

  /// The error for a libcrypto that can't start a hash.
  var refusal: TensorIOError {
    TensorIOError(
      .missingLibrary,
      "'\(path)' can't compute SHA-256: it doesn't allow it, or the system is out of memory.")
  }
}
#endif
