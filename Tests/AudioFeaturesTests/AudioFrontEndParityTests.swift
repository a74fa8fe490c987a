// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import AudioFeatures
import TestSupport
import Testing

@Suite(
  .enabled(if: Python.path != nil, "TENSORIO_PYTHON names no Python with TensorFlow and librosa."))
struct AudioFrontEndParityTests {
  /// Compares features of recordings.
  private func compare(
    _ cases: [PeerCase], _ recordings: [Recording] = Recording.all, isDouble: Bool
  ) async throws -> Differences {
    var inputs: [[String: Any]] = []
    for peerCase in cases {
      for recording in recordings {
        inputs.append(peerCase.peer(recording.samples, isDouble: isDouble))
      }
    }
    let peers = try await AudioPeer.compute(inputs)
    var next = 0
    var differences = Differences()
    for peerCase in cases {
      for recording in recordings {
        let peer = peers[next]
        next += 1
        let shape = peerCase.frontEnd.shape(sampleCount: recording.samples.count)
        #expect([shape.frames, shape.bins] == peer.shape, "\(peerCase.name), \(recording.name)")
        let ours = try peerCase.frontEnd.features(recording.samples.span)
        differences.add(peerCase.name, recording.name, ours, peer)
      }
    }
    return differences
  }

  private static func tensorFlowCases() throws -> [PeerCase] {
    let mel = TensorFlowFeatures.Mel(bands: 40, lower: 20, upper: 4000)
    let wide = TensorFlowFeatures.Mel(bands: 80, lower: 80, upper: 7600)
    return [
      try .tensorFlow("tf stft magnitude 480/320", length: 480, step: 320),
      try .tensorFlow("tf stft power 512/160", length: 512, step: 160, power: 2),
      try .tensorFlow("tf stft magnitude 255/128, pad_end", length: 255, step: 128, padEnd: true),
      try .tensorFlow(
        "tf stft power 400/160, fft 1000", length: 400, step: 160, fft: 1000, power: 2),
      try .tensorFlow("tf stft magnitude 1021/999, fft 1034", length: 1021, step: 999, fft: 1034),
      try .tensorFlow("tf stft magnitude 1/7, fft 2", length: 1, step: 7, fft: 2),
      try .tensorFlow("tf mel 40", length: 480, step: 320, mel: mel),
      try .tensorFlow("tf mel 80, power", length: 1024, step: 256, power: 2, mel: wide),
      try .tensorFlow("tf log mel 80 + 1e-6", length: 1024, step: 256, mel: wide, offset: 1e-6),
      try .tensorFlow(
        "tf mfcc 13 of 80", length: 1024, step: 256, mel: wide, offset: 1e-6, coefficients: 13),
      try .tensorFlow(
        "tf mfcc 40 of 40, power", length: 640, step: 320, padEnd: true, power: 2, mel: mel,
        offset: 1e-2, coefficients: 40),
    ]
  }

  private static func librosaCases() throws -> [PeerCase] {
    let decibels: [String: Any] = ["amin": 1e-10, "ref": 1.0, "top_db": 80]
    return [
      try .librosa("librosa stft power 2048/512") { _ in },
      try .librosa("librosa stft magnitude 400/160, reflect") {
        ($0.fftLength, $0.hopLength, $0.power, $0.padMode) = (400, 160, 1, .reflect)
      },
      try .librosa("librosa stft power 512, win 400, not centred") {
        ($0.fftLength, $0.hopLength, $0.windowLength, $0.isCentred) = (512, 160, 400, false)
      },
      try .librosa("librosa stft power 1.5, 1022/333, win 1001") {
        ($0.fftLength, $0.hopLength, $0.windowLength, $0.power) = (1022, 333, 1001, 1.5)
      },
      try .librosa("librosa stft power 4096/1000, reflect") {
        ($0.fftLength, $0.hopLength, $0.padMode) = (4096, 1000, .reflect)
      },
      try .librosa("librosa mel 128, slaney") { $0.mel = .init() },
      try .librosa("librosa mel 64, htk, norm None") {
        ($0.fftLength, $0.hopLength) = (1024, 512)
        $0.mel = .init(bands: 64, lower: 50, upper: 7000, scale: .htk, isNormalized: false)
      },
      try .librosa(
        "librosa log10(mel + eps)", ["offset": 2.220446049250313e-16, "multiplier": 10.0]
      ) {
        ($0.fftLength, $0.hopLength, $0.padMode) = (1024, 512, .reflect)
        $0.mel = .init()
        $0.log = .decimal(plus: 2.220446049250313e-16, times: 10)
      },
      try .librosa("librosa power_to_db(mel)", decibels) {
        ($0.fftLength, $0.hopLength) = (1024, 256)
        $0.mel = .init()
        $0.log = .decibels()
      },
      try .librosa(
        "librosa power_to_db(stft, ref=max, top_db=60)", ["amin": 1e-5, "ref": "max", "top_db": 60]
      ) {
        ($0.fftLength, $0.hopLength) = (1024, 256)
        $0.log = .decibels(reference: .maximum, minimum: 1e-5, range: 60)
      },
      try .librosa("librosa power_to_db(stft, ref=0.5, top_db=None)", ["amin": 1e-3, "ref": 0.5]) {
        $0.log = .decibels(reference: .value(0.5), minimum: 1e-3, range: nil)
      },
      try .librosa("librosa mfcc 20") {
        $0.mel = .init()
        ($0.log, $0.coefficients) = (.decibels(), 20)
      },
      try .librosa("librosa mfcc 13, lifter 22, htk") {
        ($0.fftLength, $0.hopLength, $0.windowLength) = (512, 160, 400)
        $0.mel = .init(bands: 40, scale: .htk)
        ($0.log, $0.coefficients, $0.lifter) = (.decibels(), 13, 22)
      },
    ]
  }

  private static func speechCommandsCases() throws -> [PeerCase] {
    let ten = SpeechCommandsFeatures.Mfcc(coefficients: 10)
    let wide = SpeechCommandsFeatures.Mfcc(upper: 8000, lower: 100, channels: 60, coefficients: 60)
    return [
      try .speechCommands(
        "AudioSpectrogram 480/160", size: 480, stride: 160, isSquared: false, nil),
      try .speechCommands(
        "AudioSpectrogram 512/512, squared", size: 512, stride: 512, isSquared: true, nil),
      try .speechCommands(
        "AudioSpectrogram + Mfcc 13", size: 480, stride: 320, isSquared: true, .init()),
      try .speechCommands(
        "AudioSpectrogram + Mfcc 10, magnitude", size: 640, stride: 320, isSquared: false, ten),
      try .speechCommands(
        "AudioSpectrogram + Mfcc 60 of 60", size: 401, stride: 160, isSquared: true, wide),
    ]
  }

  @Test func `spectra, filters and cepstra equal TensorFlow's in 64 bits`() async throws {
    try await compare(Self.tensorFlowCases(), isDouble: true).check(1e-5)
  }

  /// Tones and chirps are left out: where a frame has no energy, TensorFlow's results in 32 bits are
  /// logarithms of its rounding errors.
  @Test func `features of speech and noise equal TensorFlow's in 32 bits`() async throws {
    let recordings = Recording.all.filter { recording in
      ["speech", "noise", "silence"].contains { recording.name.contains($0) }
    }
    try await compare(Self.tensorFlowCases(), recordings, isDouble: false).check(1e-5)
  }

  @Test func `spectra, filters and cepstra equal librosa's`() async throws {
    try await compare(Self.librosaCases(), isDouble: false).check(1e-5)
  }

  @Test func `spectrograms and cepstra equal those of the operations for speech_commands`()
    async throws
  {
    try await compare(Self.speechCommandsCases(), isDouble: false).check(1e-5)
  }

  @Test func `the integers of the micro front end equal the reference`() async throws {
    let cases = [
      try PeerCase.microSpeech("micro, defaults"),
      try .microSpeech("micro, micro_speech's model") {
        ($0.windowSize, $0.windowStep, $0.channels, $0.outType) = (30, 20, 40, .float)
      },
      try .microSpeech("micro, no pcan, no log") {
        ($0.enablePCAN, $0.enableLog) = (false, false)
      },
      try .microSpeech("micro, other parameters") {
        ($0.windowSize, $0.windowStep, $0.channels) = (64, 33, 17)
        ($0.upperBandLimit, $0.lowerBandLimit) = (7990, 0)
        ($0.smoothingBits, $0.evenSmoothing, $0.oddSmoothing) = (12, 0.2, 0.9)
        ($0.minSignalRemaining, $0.pcanStrength, $0.pcanOffset) = (0.5, 0.3, 10)
        ($0.gainBits, $0.scaleShift, $0.outScale) = (24, 9, 7)
      },
      try .microSpeech("micro, context and stride") {
        ($0.leftContext, $0.rightContext, $0.frameStride) = (2, 3, 3)
        ($0.outScale, $0.outType) = (3, .float)
      },
      try .microSpeech("micro, context of zeros") {
        ($0.leftContext, $0.rightContext, $0.frameStride, $0.zeroPadding) = (1, 1, 2, true)
      },
      try .microSpeech("micro, 8 kHz, many channels", rate: 8000) {
        ($0.windowSize, $0.windowStep, $0.channels) = (20, 5, 60)
        ($0.upperBandLimit, $0.lowerBandLimit) = (3800, 20)
      },
    ]
    try await compare(cases, isDouble: false).check(0)
  }

  @Test func `random parameters of the micro front end give the reference's integers`()
    async throws
  {
    var random = Noise(seed: 4)
    let cases = try (0..<60).map { index in
      try PeerCase.microSpeech(
        "micro, random \(index)", rate: [8000, 16000, 44100].randomElement(using: &random) ?? 0
      ) {
        $0.windowSize = .random(in: 10...40, using: &random)
        $0.windowStep = .random(in: 5...$0.windowSize, using: &random)
        $0.channels = .random(in: 1...60, using: &random)
        $0.upperBandLimit = .random(in: 1000...3900, using: &random)
        $0.lowerBandLimit = .random(in: 0...900, using: &random)
        $0.smoothingBits = .random(in: 5...14, using: &random)
        $0.evenSmoothing = .random(in: 0...1, using: &random)
        $0.oddSmoothing = .random(in: 0...1, using: &random)
        $0.minSignalRemaining = .random(in: 0...1, using: &random)
        $0.enablePCAN = .random(using: &random)
        $0.pcanStrength = .random(in: 0...2, using: &random)
        $0.pcanOffset = .random(in: 1...200, using: &random)
        $0.gainBits = .random(in: 17...30, using: &random)
        $0.enableLog = .random(using: &random)
        $0.scaleShift = .random(in: 0...12, using: &random)
      }
    }
    let recordings = cases.indices.map { Recording.all[$0 % Recording.all.count] }
    let peers = try await AudioPeer.compute(zip(cases, recordings).map { $0.peer($1.samples) })
    var differences = Differences()
    for (index, recording) in recordings.enumerated() {
      let ours = try cases[index].frontEnd.features(recording.samples.span)
      differences.add("micro, random parameters", "\(index)", ours, peers[index])
    }
    differences.check(0)
  }
}
