// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import TensorIOLiteRT

/// Reads the metadata of object detectors without the native library.
@Suite struct DetectorMetadataTests {
  /// The metadata flatbuffer of the fixture, which has the detector's own flatbuffer in it.
  private static func fixture() throws -> [UInt8] {
    let path = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/Recognized/anchored.tflite")
    let file = [UInt8](try Data(contentsOf: path))
    let start = try #require(
      file.indices.first { file[$0...].starts(with: Array("M001".utf8)) }, "no metadata")
    return Array(file[(start - 4)...])
  }

  private static func read(_ metadata: [UInt8]) -> ModelMetadata {
    [UInt8]().withUnsafeBytes { MetadataReader.read(metadata, file: $0) }
  }

  @Test func `anchors and scales are in the order row, column, height, width`() throws {
    let detector = try #require(Self.read(try Self.fixture()).detector)
    #expect(
      detector.anchors == [
        [0.25, 0.25, 0.25, 0.5], [0.25, 0.75, 0.25, 0.5], [0.75, 0.25, 0.25, 0.5],
        [0.75, 0.75, 0.25, 0.5],
      ])
    #expect(detector.scale == [4, 2, 1, 1])
    #expect(detector.isExponential && !detector.hasSigmoid)
    #expect(detector.points == 0 && detector.pointOffset == 4)
  }

  @Test func `a threshold and a calibration of scores are read`() throws {
    let scores = Self.read(try Self.fixture()).outputs.first
    #expect(scores?.scoreThreshold == 0.5 && scores?.isCalibrated == false)
  }

  @Test func `a damaged part is a problem`() throws {
    var metadata = try Self.fixture()
    let place = try #require(
      metadata.indices.first { metadata[$0...].starts(with: Array("V001".utf8)) })
    metadata[place] = UInt8(ascii: "X")
    let read = Self.read(metadata)
    #expect(read.detector == nil && read.outputs.count == 2)
    #expect(
      read.problems.contains(
        "The metadata of the object detector is damaged: its first bytes don't contain the "
          + "identifier 'V001'."))
  }

  @Test func `metadata with a cut or any changed byte doesn't crash`() throws {
    let metadata = try Self.fixture()
    for count in metadata.indices { _ = Self.read(Array(metadata.prefix(count))) }
    var differing = 0
    let whole = Self.read(metadata)
    for value in [0, 1, 4, 0x7F, 0x80, 0xFF] as [UInt8] {
      for index in metadata.indices {
        var damaged = metadata
        damaged[index] = value
        let read = Self.read(damaged)
        #expect(read.problems.count <= 21)
        if read != whole { differing += 1 }
      }
    }
    #expect(differing > metadata.count / 2, "damage is detected")
  }
}
