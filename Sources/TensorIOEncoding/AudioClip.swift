// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import AudioFeatures
import AudioFiles
public import TensorIO

/// A recording with one channel, for an input of the type `audio`.
///
/// ```swift
/// let clip = try AudioClip(contentsOf: "yes.wav")
/// let outputs = try model.run(clip)
/// ```
///
/// Writing it to a tensor resamples it to the rate of the layer, and computes the features that
/// model.json describes.
public struct AudioClip: Sendable, Equatable {
  /// The samples, from -1 to 1.
  public var samples: [Float]
  /// The number of samples in a second.
  public var sampleRate: Int

  /// Makes a recording of samples from -1 to 1.
  public init(samples: [Float], sampleRate: Int) {
    self.samples = samples
    self.sampleRate = sampleRate
  }

  /// Reads a WAV, FLAC or Ogg file, and takes the mean of its channels.
  ///
  /// The file may have 64 channels and 10 minutes. libsndfile decodes it.
  ///
  /// - Throws: `TensorIOError` when the file can't be read, or when libsndfile is missing.
  public init(contentsOf path: String) throws {
    try self.init(AudioFile(path))
  }

  /// Reads the bytes of a WAV, FLAC or Ogg file.
  ///
  /// - Parameters:
  ///   - bytes: The content of the file.
  ///   - name: The name for messages.
  /// - Throws: `TensorIOError` when the bytes can't be read, or when libsndfile is missing.
  public init(bytes: [UInt8], named name: String = "the recording") throws {
    try self.init(AudioFile(bytes, named: name))
  }

  private init(_ file: AudioFile) throws {
    self.init(samples: try file.readAllMono(), sampleRate: file.sampleRate)
  }

  /// Computes the values for an input, one array for each window of a long recording.
  ///
  /// A recording that fits the input has one window. A longer one has several if the layer has a
  /// `step`. Each array can be passed to the model in place of the recording.
  ///
  /// - Parameter spec: An input of the type `audio`.
  /// - Returns: At least one array of `spec.elementCount` values.
  /// - Throws: `TensorIOError` when the recording doesn't fit the layer.
  public func windows(for spec: TensorSpec) throws -> [[Float]] {
    let coding = try spec.coding("audio", for: Self.self)
    do throws(AudioError) {
      let encoder = try coding.prepared { () throws(AudioError) in try AudioEncoder(coding) }
      return try encoder.windows(self, for: spec)
    } catch {
      throw TensorIOError(.wrongElementCount, "'\(spec.name)': \(error.message)", cause: error)
    }
  }
}

extension AudioClip: TensorEncodable {
  public static var tensorKindName: String { "a recording" }
  public var tensorElementCount: Int? { nil }

  public func encode(into memory: inout MutableRawSpan, as spec: TensorSpec) throws {
    let windows = try windows(for: spec)
    guard windows.count == 1 else {
      throw TensorIOError(
        .wrongElementCount,
        "'\(spec.name)' takes one window, but the recording has \(windows.count). Run the model on "
          + "each of windows(for:).")
    }
    try windows[0].encode(into: &memory, as: spec)
  }
}

extension ModelSignature {
  /// Checks that every input of the type `audio` or `features` fits its shape, and that the files of
  /// `features` and `text` can be read.
  ///
  /// - Throws: `TensorIOError` for the first input that doesn't fit.
  public func checkEncoders() throws {
    for spec in inputs {
      guard let coding = spec.coding else { continue }
      if coding.type == "features" { try FeatureEncoder(coding).check(spec) }
      if coding.type == "text" { _ = try coding.prepared { try TextEncoder(coding) } }
      guard coding.type == "audio" else { continue }
      do throws(AudioError) {
        _ = try AudioEncoder(coding).rows(for: spec)
      } catch {
        throw TensorIOError(.invalidBundle, "'\(spec.name)': \(error.message)", cause: error)
      }
    }
  }
}
