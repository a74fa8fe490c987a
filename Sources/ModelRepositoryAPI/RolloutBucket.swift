// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Crypto

/// The bucket of an installation, which is one of 10,000 equal parts of all installations.
///
/// Raising an arm's threshold keeps the installations that were below the old one. Another salt
/// gives new, independent buckets.
public enum RolloutBucket {
  /// The number of buckets.
  public static let count = 10_000

  /// Computes the bucket of an installation.
  ///
  /// It is the first eight bytes of the SHA-256 of `mh1|SALT|INSTALLATION`, as a big-endian number,
  /// modulo 10,000.
  ///
  /// - Parameters:
  ///   - installationID: The installation's identifier.
  ///   - salt: The experiment's salt.
  /// - Returns: The bucket, from 0 to 9,999.
  public static func number(of installationID: String, salt: String) -> Int {
    let digest = SHA256.hash(data: Array("mh1|\(salt)|\(installationID)".utf8))
    let number = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(number % UInt64(count))
  }
}
#endif
