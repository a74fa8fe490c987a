// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import AudioFeatures
import TestSupport
import Testing

@Suite(
  .enabled(if: Python.path != nil, "TENSORIO_PYTHON names no Python with TensorFlow and librosa."))
struct MLPerfTinyTests {
  /// Keyword spotting: 49 frames of 30 ms every 20 ms, with 10 coefficients of 40 filters.
  private func keywordSpotting() throws -> AudioFrontEnd {
    var features = TensorFlowFeatures(frameLength: 480, frameStep: 320)
    features.mel = .init(bands: 40, lower: 20, upper: 4000)
    features.log = .natural(plus: 1e-6)
    features.coefficients = 10
    var options = AudioFrontEnd.Options()
    options.sampleCount = 16000
    options.preparation = .divideByMaximum
    return try AudioFrontEnd(.tensorFlow(features), sampleRate: 16000, options: options)
  }

  /// Anomaly detection: the middle 200 frames of 10 seconds, of which 5 make 640 values.
  private func anomalyDetection(_ padMode: LibrosaFeatures.PadMode) throws -> AudioFrontEnd {
    var features = LibrosaFeatures()
    (features.fftLength, features.hopLength, features.padMode) = (1024, 512, padMode)
    features.mel = .init()
    features.log = .decimal(plus: .ulpOfOne, times: 10)
    var options = AudioFrontEnd.Options()
    options.frames = 50..<250
    options.stacking = 5
    return try AudioFrontEnd(.librosa(features), sampleRate: 16000, options: options)
  }

  @Test func `keyword spotting has the features of MLPerf's reference`() async throws {
    let frontEnd = try keywordSpotting()
    #expect(frontEnd.shape(sampleCount: 16000) == frontEnd.shape(sampleCount: 12_345))
    // The reference can't cut a recording, and divides silence by 0.
    let recordings = Recording.all.filter { $0.samples.count <= 16000 && $0.name != "silence" }
    let peers = try await AudioPeer.compute(
      [true, false].flatMap { isDouble in
        recordings.map { recording -> [String: Any] in
          [
            "kind": "keyword_spotting", "double": isDouble,
            "samples": AudioPeer.encoded(recording.samples),
          ]
        }
      })
    var (double, float) = (Differences(), Differences())
    for (index, recording) in recordings.enumerated() {
      let ours = try frontEnd.features(recording.samples.span)
      #expect(peers[index].shape == [49, 10])
      double.add("MLPerf Tiny keyword spotting", recording.name, ours, peers[index])
      let peer = peers[recordings.count + index]
      float.add("MLPerf Tiny keyword spotting, 32 bits", recording.name, ours, peer)
    }
    double.check(1e-5)
    // Where a tone has no energy, TensorFlow's rounding errors in 32 bits are above the offset.
    float.check(5e-3)
    let silence = try frontEnd.features([Float](repeating: 0, count: 100).span)
    #expect(silence.allSatisfy { $0.isFinite })
  }

  @Test func `anomaly detection has the features of MLPerf's reference`() async throws {
    var noise = Noise(seed: 9)
    let samples = (0..<160_000).map { index -> Float in
      let hum = 0.1 * Double(index % 160) / 160 - 0.05
      return Float(((hum + 0.01 * noise.normal()) * 32768).rounded() / 32768)
    }
    let modes = LibrosaFeatures.PadMode.allCases
    let peers = try await AudioPeer.compute(
      modes.map { mode in
        [
          "kind": "anomaly_detection", "pad_mode": mode.rawValue,
          "samples": AudioPeer.encoded(samples),
        ]
      })
    var differences = Differences()
    for (mode, peer) in zip(modes, peers) {
      let frontEnd = try anomalyDetection(mode)
      let shape = frontEnd.shape(sampleCount: samples.count)
      #expect([shape.frames, shape.bins] == [196, 640])
      #expect(peer.shape == [196, 640])
      differences.add(
        "MLPerf Tiny anomaly detection", mode.rawValue, try frontEnd.features(samples.span), peer)
    }
    differences.check(1e-5)
  }
}
