// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import TensorIOEncoding
import Testing

struct AudioStreamTests {
  /// Samples that are different in each frame.
  private static let samples: [Float] = (0..<20_000).map { index in
    let time = Double(index) / 16_000
    return Float(0.4 * sin(2 * .pi * (200 + 900 * time) * time) + 0.1 * sin(Double(index * index)))
  }

  private func spec(_ options: String, shape: String = "[1, 8, 18]") throws -> TensorSpec {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "stream-\(UUID().uuidString).tiobundle")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data().write(to: folder.appending(path: "model.tflite"))
    let document = """
      {"name": "Echo", "details": "", "id": "echo", "version": "1", "author": "", "license": "",
       "model": {"file": "model.tflite", "quantized": false},
       "inputs": [{"name": "sound", "type": "audio", "shape": \(shape), \(options)}],
       "outputs": [{"name": "echo", "type": "array", "shape": [1, 144]}]}
      """
    try Data(document.utf8).write(to: folder.appending(path: "model.json"))
    return ModelSignature(of: try ModelBundle(folder.path)).inputs[0]
  }

  /// A window of 8 frames of 400 samples, 160 apart, has 7 * 160 + 400 samples.
  private static let spectrogram = """
    "sample_rate": 16000, "features": {"type": "tensorflow", "frame_length": 400, "frame_step": 160,
      "num_mel_bins": 18}
    """

  @Test func `windows overlap, and give the values of the whole recording's windows`() throws {
    let spec = try spec(Self.spectrogram)
    let stepped = try self.spec(Self.spectrogram + #", "step": 2"#)
    let expected = try AudioClip(samples: Self.samples, sampleRate: 16_000).windows(for: stepped)
    var stream = try AudioStream(for: spec, sampleRate: 16_000, every: 0.02)
    #expect(stream.windowLength == 1520)
    #expect(stream.hop == 320)
    var random = SystemRandomNumberGenerator()
    var found: [[Float]] = []
    var rest = Self.samples[...]
    while !rest.isEmpty {
      let count = Int.random(in: 1...3000, using: &random)
      for clip in stream.append(rest.prefix(count)) { found += try clip.windows(for: spec) }
      rest = rest.dropFirst(count)
    }
    #expect(found.count == expected.count)
    #expect(found == expected)
  }

  @Test func `windows with gaps between them skip samples`() throws {
    let spec = try spec(#""sample_rate": 100, "samples": 144"#, shape: "[1, 144]")
    var stream = try AudioStream(for: spec, sampleRate: 100, every: 10)
    var starts: [Float] = []
    for first in stride(from: 0, to: 5000, by: 700) {
      let samples = (first..<(first + 700)).map { Float($0) }
      for clip in stream.append(samples) {
        #expect(clip.samples.count == 144)
        starts.append(clip.samples[0])
      }
    }
    #expect(starts == [0, 1000, 2000, 3000, 4000, 5000])
  }

  @Test(arguments: [8000, 11_025, 15_999, 16_000, 22_050, 44_100, 48_000, 96_000])
  func `windows at another rate have exactly one run's samples`(rate: Int) throws {
    for shape in ["[1, 8, 18]", "[1, 144]"] {
      let spec = try spec(
        shape == "[1, 144]" ? #""sample_rate": 16000"# : Self.spectrogram, shape: shape)
      var stream = try AudioStream(for: spec, sampleRate: rate, every: 0.1)
      let clips = stream.append(Array(repeating: 0.25, count: rate))
      #expect(!clips.isEmpty)
      for clip in clips { #expect(try clip.windows(for: spec).count == 1) }
    }
  }

  @Test func `an input without sound and wrong numbers are refused`() throws {
    let numbers = TensorSpec(name: "x", shape: [1, 4], kind: .vector(nil, labels: nil))
    #expect(throws: TensorIOError.self) {
      try AudioStream(for: numbers, sampleRate: 16_000, every: 1)
    }
    let spec = try spec(Self.spectrogram)
    for (rate, seconds) in [
      (0, 1.0), (16_000, 0), (16_000, -1), (16_000, .nan), (16_000, .infinity),
    ] {
      #expect(throws: TensorIOError.self) {
        try AudioStream(for: spec, sampleRate: rate, every: seconds)
      }
    }
    let endless = try self.spec(
      Self.spectrogram + #", "frames": [0, 4]"#)
    #expect(throws: TensorIOError.self) {
      try AudioStream(for: endless, sampleRate: 16_000, every: 1)
    }
  }
}
