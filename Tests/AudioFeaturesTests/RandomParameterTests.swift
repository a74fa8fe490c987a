// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import AudioFeatures
import Testing

/// Parameters come from files, so that no value of theirs may stop the program.
@Suite struct RandomParameterTests {
  /// Parameters of which most are usual, and some are wrong.
  private struct Parameters {
    var random: Noise

    mutating func flip() -> Bool { .random(using: &random) }

    mutating func integer(_ usual: ClosedRange<Int>) -> Int {
      if Int.random(in: 0..<25, using: &random) > 0 { return .random(in: usual, using: &random) }
      return [.min, -1, 0, 1, 2, 3, 4096, 65_536, 1 << 20, .max].randomElement(using: &random) ?? 0
    }

    mutating func number(_ usual: ClosedRange<Double>) -> Double {
      if Int.random(in: 0..<25, using: &random) > 0 { return .random(in: usual, using: &random) }
      return [-.infinity, -1, 0, 1e-300, 1, 8000, 1e300, .infinity, .nan]
        .randomElement(using: &random) ?? 0
    }

    mutating func log() -> LogScale? {
      let (small, large) = (number(1e-10...1), number(1...100))
      let all: [LogScale?] = [
        nil, .natural(plus: small), .decimal(plus: small, times: large),
        .decibels(reference: .value(large), minimum: small, range: large),
        .decibels(reference: .maximum, range: nil),
      ]
      return all.randomElement(using: &random) ?? nil
    }

    mutating func method(_ kind: Int) -> AudioFrontEnd.Method {
      switch kind {
      case 0:
        var features = TensorFlowFeatures(
          frameLength: integer(1...600), frameStep: integer(50...700))
        features.fftLength = flip() ? nil : integer(300...600) & ~1
        features.padEnd = flip()
        features.power = number(0.5...3)
        features.mel =
          flip()
          ? nil
          : .init(bands: integer(1...300), lower: number(0...100), upper: number(100...4000))
        features.log = log()
        features.coefficients = flip() ? nil : integer(1...40)
        return .tensorFlow(features)
      case 1:
        var features = LibrosaFeatures()
        features.fftLength = integer(100...2000) & ~1
        features.hopLength = flip() ? nil : integer(50...700)
        features.windowLength = flip() ? nil : integer(4...200)
        features.isCentred = flip()
        features.padMode = flip() ? .constant : .reflect
        features.power = number(0.5...3)
        features.mel =
          flip()
          ? nil
          : .init(bands: integer(1...300), lower: number(0...100), upper: number(100...4000))
        features.log = log()
        features.coefficients = flip() ? nil : integer(1...40)
        features.lifter = number(0...30)
        return .librosa(features)
      case 2:
        var features = SpeechCommandsFeatures(
          windowSize: integer(2...600), stride: integer(50...700))
        features.magnitudeSquared = flip()
        features.mfcc = .init(
          upper: number(100...4000), lower: number(0...100), channels: integer(1...100),
          coefficients: integer(1...40))
        return .speechCommands(features)
      default:
        var features = MicroSpeechFeatures()
        (features.windowSize, features.windowStep) = (integer(10...40), integer(5...20))
        features.channels = integer(1...60)
        features.lowerBandLimit = Float(number(0...100))
        features.upperBandLimit = Float(number(100...3900))
        (features.smoothingBits, features.gainBits) = (integer(5...31), integer(16...31))
        (features.evenSmoothing, features.oddSmoothing) = (Float(number(0...1)), 0.5)
        (features.pcanStrength, features.pcanOffset) = (Float(number(0...2)), Float(number(0...90)))
        (features.scaleShift, features.enableLog) = (integer(0...16), flip())
        (features.leftContext, features.frameStride) = (integer(0...5), integer(1...5))
        (features.outScale, features.outType) = (integer(1...70_000), flip() ? .uint16 : .float)
        return .microSpeech(features)
      }
    }

    mutating func options() -> AudioFrontEnd.Options {
      var options = AudioFrontEnd.Options()
      options.stacking = flip() ? 1 : integer(1...3)
      let first = min(max(integer(0...3), 0), 1 << 40)
      options.frames = flip() ? nil : first..<(first + 2)
      options.sampleCount =
        [nil, 1000, 2000, 2500, 0, .min, .max].randomElement(using: &random) ?? nil
      options.preparation = flip() ? .none : .divideByMaximum
      return options
    }
  }

  @Test(arguments: 0..<4)
  func `random parameters give features of the promised shape or an error`(_ kind: Int) throws {
    var parameters = Parameters(random: Noise(seed: UInt64(kind)))
    let loudest = Recording.all[16].samples.map { $0 < 0 ? -1 : $0 }
    var (successes, failures) = (0, 0)
    for round in 0..<150 {
      let method = parameters.method(kind)
      let options = parameters.options()
      let rate = parameters.integer(8000...48_000)
      let samples = (round.isMultiple(of: 2) ? loudest : Recording.all[10].samples).prefix(1500)
      do {
        let frontEnd = try AudioFrontEnd(method, sampleRate: rate, options: options)
        let values = try frontEnd.features(Array(samples).span)
        #expect(values.count == frontEnd.shape(sampleCount: samples.count).count)
        successes += 1
      } catch {
        failures += 1
      }
    }
    #expect(successes > 20 && failures > 20)
  }
}
