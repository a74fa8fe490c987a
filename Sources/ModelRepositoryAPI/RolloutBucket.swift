// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Crypto

/// Which of 10,000 parts of all installations one belongs to.
///
/// A higher threshold keeps who was below a lower one; another salt draws anew, independently.
public enum RolloutBucket {
  /// How many buckets there are.
  public static let count = 10_000

  /// The bucket of an installation: the first eight bytes of the SHA-256 of
  /// `mh1|SALT|INSTALLATION`, as a big-endian number, modulo 10,000.
  ///
  /// - Parameters:
  ///   - installationID: What tells the installation from others.
  ///   - salt: The experiment's salt.
  /// - Returns: 0 to 9,999.
  public static func number(of installationID: String, salt: String) -> Int {
    let digest = SHA256.hash(data: Array("mh1|\(salt)|\(installationID)".utf8))
    let number = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(number % UInt64(count))
  }
}
#endif
