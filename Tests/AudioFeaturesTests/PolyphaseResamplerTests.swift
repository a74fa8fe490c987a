// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import AudioFeatures
import TestSupport
import Testing

@Suite struct PolyphaseResamplerTests {
  private static let rates = [
    (44_100, 16_000), (48_000, 16_000), (16_000, 44_100), (8_000, 16_000), (22_050, 16_000),
    (16_000, 16_000), (11_025, 8_000), (16_000, 11_999), (96_000, 8_000), (3, 2),
  ]

  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON names no Python with SciPy."))
  func `samples equal those of SciPy's resample_poly`() async throws {
    var cases: [(source: Int, target: Int, name: String, samples: [Float])] = []
    for (source, target) in Self.rates {
      for recording in Recording.all {
        cases.append((source, target, recording.name, Array(recording.samples.prefix(3000))))
      }
      for count in [1, 2, 7, 100] {
        cases.append(
          (source, target, "\(count) samples", Array(Recording.all[7].samples.prefix(count))))
      }
    }
    let peers = try await AudioPeer.compute(
      cases.map { source, target, _, samples in
        [
          "kind": "resample", "source": source, "target": target,
          "samples": AudioPeer.encoded(samples),
        ]
      })
    var differences = Differences()
    for ((source, target, name, samples), peer) in zip(cases, peers) {
      let resampler = try PolyphaseResampler(from: source, to: target)
      #expect(resampler.count(samples.count) == peer.values.count)
      let ours = try resampler.resample(samples.span)
      differences.add("scipy-polyphase \(source) Hz to \(target) Hz", name, ours, peer)
    }
    differences.check(1e-5)
  }

  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON names no Python with librosa."))
  func `the mean of channels equals librosa's`() async throws {
    let samples = Recording.all[7].samples
    let channels = [1, 2, 3, 6]
    let peers = try await AudioPeer.compute(
      channels.map { count in
        [
          "kind": "mono", "channels": count,
          "samples": AudioPeer.encoded(Array(samples.prefix(6000))),
        ]
      })
    var differences = Differences()
    for (count, peer) in zip(channels, peers) {
      let ours = AudioSamples.mono(Array(samples.prefix(6000)).span, channels: count)
      differences.add("librosa.to_mono", "\(count) channels", ours, peer)
    }
    differences.check(0)
  }

  @Test func `no samples give no samples`() throws {
    for (source, target) in Self.rates {
      #expect(try PolyphaseResampler(from: source, to: target).resample([Float]().span) == [])
    }
  }

  @Test func `rates without a common divisor are errors`() {
    #expect(throws: AudioError.self) { try PolyphaseResampler(from: 0, to: 16_000) }
    #expect(throws: AudioError.self) { try PolyphaseResampler(from: 16_000, to: -1) }
    let error = #expect(throws: AudioError.self) {
      try PolyphaseResampler(from: 999_983, to: 16_000)
    }
    #expect(error?.message.contains("largest common divisor is 1 Hz") == true)
  }

  @Test func `16-bit samples are cut off, not rounded, and stay in range`() {
    let samples: [Float] = [0, 0.99999, -0.99999, 1, -1, 7, -7, .nan, .infinity, 1.9 / 32768]
    #expect(
      AudioSamples.integers(samples.span)
        == [0, 32767, -32767, 32767, -32768, 32767, -32768, 0, 32767, 1])
  }
}
