// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A generated recording of one channel at 16 kHz.
struct Recording: Sendable {
  let name: String
  let samples: [Float]

  /// Recordings of every kind that features have difficulties with.
  static let all: [Recording] = {
    var random = Noise(seed: 20)
    let rate = 16000.0
    func make(
      _ name: String, _ count: Int = 16000, _ value: (Double) -> Double
    ) -> Recording {
      let samples = (0..<count).map { index -> Float in
        // Recordings have 16 bits, so that every reader gives the same numbers.
        let integer = (value(Double(index) / rate) * 32768).rounded()
        return Float(min(max(integer, -32768), 32767) / 32768)
      }
      return Recording(name: name, samples: samples)
    }
    func tone(_ frequency: Double, _ time: Double) -> Double { sin(2 * .pi * frequency * time) }
    /// Syllables: harmonics of a gliding pitch, with formants, breath and pauses.
    func speech(_ time: Double, _ noise: Double) -> Double {
      let syllable = time * 4 - (time * 4).rounded(.down)
      let envelope = pow(sin(.pi * min(syllable * 1.4, 1)), 2)
      let pitch = 120 + 40 * sin(2 * .pi * 1.3 * time)
      var sum = 0.0
      for harmonic in 1...20 {
        let frequency = pitch * Double(harmonic)
        let formants =
          exp(-pow((frequency - 600) / 250, 2)) + 0.5 * exp(-pow((frequency - 1700) / 400, 2))
        sum += formants * tone(frequency, time)
      }
      return envelope * (0.2 * sum + 0.02 * noise)
    }
    return [
      make("tone 440 Hz") { 0.5 * tone(440, $0) },
      make("tone between bins") { 0.8 * tone(1234.567, $0) },
      make("tone at 7.9 kHz") { 0.9 * tone(7900, $0) },
      make("tone at a quarter of the rate") { 0.7 * tone(4000, $0) },
      make("chord") { 0.2 * (tone(220, $0) + tone(277.18, $0) + tone(329.63, $0)) },
      make("rising chirp") { 0.6 * sin(2 * .pi * (50 + 3900 * $0) * $0) },
      make("falling chirp") { 0.6 * sin(2 * .pi * (7000 - 3000 * $0) * $0) },
      make("loud noise") { _ in 0.5 * random.normal() },
      make("faint noise") { _ in 0.001 * random.normal() },
      make("noise of one bit") { _ in random.unit() < 0.5 ? 0 : 1.0 / 32768 },
      make("speech") { speech($0, random.normal()) },
      make("quiet speech") { 0.05 * speech($0, random.normal()) },
      make("speech in noise") { speech($0, random.normal()) + 0.05 * random.normal() },
      make("long speech", 50_000) { speech($0, random.normal()) + 0.002 * random.normal() },
      make("silence") { _ in 0 },
      make("silence, then noise") { $0 < 0.5 ? 0 : 0.3 * random.normal() },
      make("clipped tone") { 3 * tone(300, $0) },
      make("constant") { _ in 0.25 },
      make("click") { $0 == 0.5 ? 0.99 : 0 },
      make("short noise", 5_001) { _ in 0.3 * random.normal() },
    ]
  }()
}

/// A stream of random numbers that a seed determines.
struct Noise: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// Returns a number from 0 to 1.
  mutating func unit() -> Double { Double(next() >> 11) / Double(1 << 53) }

  mutating func normal() -> Double {
    (-2 * log(1 - unit())).squareRoot() * cos(2 * .pi * unit())
  }
}
