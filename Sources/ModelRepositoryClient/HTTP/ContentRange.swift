// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
/// The part of a blob that a response contains, such as `Content-Range: bytes 5-9/10`.
struct ContentRange: Hashable {
  var first: Int
  var last: Int
  var total: Int

  /// Reads a header field, or returns nil if it doesn't give an exact range and total.
  init?(_ field: String) {
    let words = field.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2 else { return nil }
    let numbers = [ends[0], ends[1], halves[1]].compactMap { text in
      text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
    guard numbers.count == 3, numbers[0] <= numbers[1], numbers[1] < numbers[2] else { return nil }
    (first, last, total) = (numbers[0], numbers[1], numbers[2])
  }
}
#endif
