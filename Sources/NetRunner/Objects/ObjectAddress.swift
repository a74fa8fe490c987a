// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// What an address or a path names, as its text shows.
package enum ObjectAddress {
  /// Whether a text is an address (`https://`, `http://` or `s3://`) instead of a path.
  package static func isAddress(_ text: String) -> Bool {
    text.hasPrefix("https://") || text.hasPrefix("http://") || text.hasPrefix("s3://")
  }

  /// Whether an address stands for all objects whose addresses begin with it: `s3://bucket/folder/`.
  package static func isPrefix(_ address: String) -> Bool {
    address.hasPrefix("s3://") && (address.hasSuffix("/") || !address.dropFirst(5).contains("/"))
  }

  /// Returns an address in which a bucket without a prefix ends in a slash, too.
  static func withSlash(_ address: String) -> String {
    isPrefix(address) && !address.hasSuffix("/") ? address + "/" : address
  }

  /// Whether a prefix stands for an address, too.
  static func isListed(_ address: String, below prefix: String) -> Bool {
    address != prefix && address.hasPrefix(prefix)
      && (isPrefix(address) || isArchive(address) || ImageFolder.isSample(address))
  }

  /// Whether a path or an address names a tar archive.
  ///
  /// Compressed archives count, too, so that an error says what they are.
  package static func isArchive(_ path: String) -> Bool {
    var name = path.lowercased()
    if name.hasPrefix("http"), let end = name.firstIndex(where: { "?#".contains($0) }) {
      name = String(name[..<end])
    }
    return [".tar", ".tar.gz", ".tgz"].contains(where: name.hasSuffix)
  }
}
