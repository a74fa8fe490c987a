// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Results of Tools/peers/audio.py.
struct AudioPeer: Decodable {
  let shape: [Int]
  let values: [Float]

  private enum CodingKeys: CodingKey {
    case shape, values
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    shape = try container.decode([Int].self, forKey: .shape)
    let bytes = try container.decode(Data.self, forKey: .values)
    values = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
  }

  /// Computes cases with Python: objects with a `kind` and other values.
  static func compute(_ cases: [[String: Any]]) async throws -> [AudioPeer] {
    let input = try JSONSerialization.data(withJSONObject: cases)
    let output = try await Python.compute(["Tools/peers/audio.py"], input: input)
    return try JSONDecoder().decode([AudioPeer].self, from: Data(output.utf8))
  }

  /// Returns samples as a value of a case.
  static func encoded(_ samples: [Float]) -> String {
    samples.withUnsafeBytes { Data($0) }.base64EncodedString()
  }
}

/// The largest differences between our results and those of Python, by the name of a function.
struct Differences {
  private var largest: [(name: String, recording: String, difference: Double)] = []

  /// Adds a difference, as a part of the range of Python's values.
  ///
  /// Values that are all equal count by their magnitude. Ranges below 10⁻⁹ are the rounding errors
  /// of an empty spectrum, and count as 10⁻⁹.
  mutating func add(_ name: String, _ recording: String, _ ours: [Float], _ peer: AudioPeer) {
    #expect(ours.count == peer.values.count, "\(name), \(recording)")
    guard ours.count == peer.values.count else { return }
    let (low, high) = (Double(peer.values.min() ?? 0), Double(peer.values.max() ?? 0))
    let range = max(low == high ? abs(high) : high - low, 1e-9)
    var difference = 0.0
    for (a, b) in zip(ours, peer.values) where a != b && !(a.isNaN && b.isNaN) {
      let distance = abs(Double(a) - Double(b)) / range
      difference = distance.isNaN ? .infinity : max(difference, distance)
    }
    largest.append((name, recording, difference))
  }

  /// Checks that no difference is too large.
  func check(_ limit: Double) {
    for (name, recording, difference) in largest {
      #expect(difference <= limit, "\(name), \(recording)")
    }
    if Self.arePrinted { print() }
  }

  /// Whether tables of the differences are printed.
  private static let arePrinted =
    ProcessInfo.processInfo.environment["TENSORIO_PRINT_DIFFERENCES"] != nil

  private func print() {
    for name in Set(largest.map(\.name)).sorted() {
      guard
        let worst = largest.filter({ $0.name == name }).max(by: { $0.difference < $1.difference })
      else { continue }
      let number = String(format: "%.1e", worst.difference)
      Swift.print("| \(name) | \(number) | \(worst.recording) |")
    }
  }
}
