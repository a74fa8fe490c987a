// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

extension PartRecord {
  /// Checks that parts are complete, and sorts them.
  ///
  /// - Parameters:
  ///   - parts: The parts, in any order, of which there is at least one.
  ///   - names: The names of the parts' files, if they are known.
  ///   - required: Parts after this one have no samples, so they can be missing.
  ///   - whole: The word for what the parts belong to.
  ///   - command: The command that makes a part.
  /// - Returns: The indices of the parts in the given list, in the order of the parts.
  /// - Throws: `TensorIOError` that says which part is missing or was given twice.
  static func order(
    _ parts: [PartRecord], names: [String]? = nil, required: Int = .max, of whole: String,
    command: String
  ) throws -> [Int] {
    let order = parts.indices.sorted { parts[$0].index < parts[$1].index }
    let sorted = order.map { parts[$0] }
    let count = sorted[0].count
    if let other = sorted.first(where: { $0.count != count }) {
      throw mismatch(
        "Part \(other.index) is one of \(other.count), but part \(sorted[0].index) is one of "
          + "\(count): they aren't parts of the same \(whole).")
    }
    if let twice = order.indices.dropFirst().first(where: { sorted[$0] == sorted[$0 - 1] }) {
      let files = names.map { ", as '\($0[order[twice - 1]])' and '\($0[order[twice]])'" } ?? ""
      throw mismatch(
        "Part \(sorted[twice].index) of \(count) was given twice\(files); give each part once.")
    }
    if let stranger = sorted.first(where: { $0.index < 1 || $0.index > count }) {
      throw mismatch(
        "A file says that it is part \(stranger.index) of \(count), which is impossible.")
    }
    // Don't enumerate all parts, because a file can claim any number of them.
    let known = Set(sorted.map(\.index))
    let last = min(count, required)
    let missing = (1...min(last, known.count + 5)).filter { !known.contains($0) }.prefix(5)
    guard let first = missing.first else { return order }
    let isListed = known.count { $0 <= last } + missing.count >= last
    throw mismatch(
      "\(known.count) of \(counted(count, "part")) \(known.count == 1 ? "was" : "were") given. Missing: "
        + missing.map(String.init).joined(separator: ", ") + (isListed ? "." : " and more.")
        + " '\(command) --part \(first)/\(count)' makes part \(first).")
  }

  private static func mismatch(_ message: String) -> TensorIOError {
    TensorIOError(.invalidOption, message)
  }
}
