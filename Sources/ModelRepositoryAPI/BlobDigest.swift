// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
package import Crypto

/// The SHA-256 of a blob's bytes, which identifies the blob.
///
/// It is written as `sha256:` and 64 hexadecimal digits.
public struct BlobDigest: Sendable, Hashable {
  /// 64 lowercase hexadecimal digits.
  public let hexadecimal: String

  /// Reads a digest, or returns nil if the text isn't one.
  ///
  /// - Parameter text: `sha256:` and 64 lowercase hexadecimal digits.
  public init?(_ text: String) { self.init(text[...].utf8) }

  /// Reads a digest in UTF-8, or returns nil if the text isn't one.
  package init?(_ text: Substring.UTF8View) {
    let digits = text.dropFirst(Self.prefix.utf8.count)
    guard text.starts(with: Self.prefix.utf8), digits.count == 64,
      digits.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { return nil }
    hexadecimal = String(decoding: digits, as: UTF8.self)
  }

  /// Creates the digest of a finished hash.
  package init(_ digest: SHA256.Digest) {
    let digits = Array("0123456789abcdef".utf8)
    hexadecimal = String(
      decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Computes the digest of bytes in memory.
  package init(of bytes: some Sequence<UInt8>) { self.init(SHA256.hash(data: Array(bytes))) }

  private static let prefix = "sha256:"
}

extension BlobDigest: CustomStringConvertible {
  /// `sha256:` and 64 hexadecimal digits.
  public var description: String { Self.prefix + hexadecimal }
}

extension BlobDigest: Codable {
  /// Reads a string.
  public init(from decoder: any Decoder) throws {
    self = try decoder.text(
      "A digest must be 'sha256:' followed by 64 lowercase hexadecimal digits."
    ) { BlobDigest($0) }
  }

  /// Writes a string.
  public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}

/// A blob's digest and size.
///
/// The size tells clients when to stop reading.
public struct BlobReference: Sendable, Hashable, Codable {
  /// The SHA-256 of the bytes.
  public var digest: BlobDigest
  /// The number of bytes.
  public var size: Int

  package init(digest: BlobDigest, size: Int) {
    self.digest = digest
    self.size = size
  }
}

/// The part of a blob that a body contains, as in `Content-Range: bytes 5-9/10`.
package struct ContentRange: Sendable {
  package let first: Int
  package let last: Int
  /// The size of the whole blob, or nil for `*`.
  package let total: Int?

  package var count: Int { last - first + 1 }

  /// Parses a header field, or returns nil if it isn't valid.
  package init?(_ field: String) {
    let words = field.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    let numbers = (ends + [halves[1]]).map { text in
      text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
    guard numbers.count == 3, let first = numbers[0], let last = numbers[1], first <= last,
      last < numbers[2] ?? .max, numbers[2] != nil || halves[1] == "*"
    else { return nil }
    (self.first, self.last, total) = (first, last, numbers[2])
  }
}
#endif
