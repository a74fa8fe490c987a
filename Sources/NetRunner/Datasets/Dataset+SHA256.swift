// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
import Hashing
import TensorIO

extension Dataset {
  /// The SHA-256 of everything that determines an evaluation's results.
  ///
  /// This is the identifiers, labels and bytes of the images, in order. The dataset's path, name
  /// and notes aren't included. If an image can't be read, the hash includes that fact. If an image
  /// has a URL, the hash includes the URL and not the image's bytes.
  ///
  /// - Parameters:
  ///   - threads: The number of threads that read files.
  ///   - isOver: Called between files. If it returns true, hashing stops.
  /// - Returns: 64 hexadecimal digits.
  /// - Throws: `TensorIOError` if hashing was stopped early.
  public func sha256(threads: Int = 2, until isOver: () -> Bool = { false }) throws -> String {
    let samples = samples
    var hash = try SHA256.start()
    var count = 0
    let work = ParallelWork(count: samples.count, threads: threads) { index in
      Result { try samples[index].digest() }
    }
    try work.run(until: isOver) { _, digest in
      hash.update(data: Array(try digest.get()))
      count += 1
    }
    guard count == samples.count else {
      throw TensorIOError(.cancelled, "Hashing the dataset was cancelled.")
    }
    return hash.finalize().hexadecimal
  }
}

extension Sample {
  /// The SHA-256 of the identifier, the source's bytes and the ground truth.
  ///
  /// A word for the kind and the length precede each value, so no two samples hash the same bytes.
  fileprivate func digest() throws -> SHA256.Digest {
    var hash = try SHA256.start()
    hash.add("sample", id)
    switch source {
    case .file(let path): try hash.addFile(path)
    case .url(let address): hash.add("url", address)
    case .refused: hash.add("missing", "")
    case .tensor(let tensor, _):
      hash.add("tensor", "\(tensor.dataType) \(tensor.shape)")
      hash.add("elements", tensor.withBytes { $0.withUnsafeBytes { Array($0) } })
    case .row(let row, _):
      hash.add("row", "\(row.columns.count)")
      for (column, cell) in zip(row.columns, row.cells) {
        hash.add("column", column)
        hash.add(cell)
      }
    case .numbers(let file):
      hash.add("numbers", "\(file.width ?? 0) \(file.stride ?? 0)")
      try hash.addFile(file.path)
    case .bytes(let bytes, _): hash.add("file", try SHA256.digest(of: bytes))
    case .pixels(let image, _):
      let form = "\(image.width) \(image.height) \(image.format) \(image.orientation)"
      hash.add("pixels", form)
      hash.add("rows", image.withBytes { $0.withUnsafeBytes { Array($0) } })
    }
    switch truth {
    case nil: hash.add("none", "")
    case .label(let label): hash.add("label", label)
    case .anomaly(let isAnomaly, let machine): hash.add(isAnomaly ? "anomaly" : "normal", machine)
    case .values(let values): hash.add("values", values.flatMap(\.bytes))
    case .classMap(let path): try hash.addFile(path)
    case .segments(let truth):
      try hash.addFile(truth.path)
      for segment in truth.segments {
        let owner = truth.classes[segment.classIndex]
        hash.add(segment.isCrowd ? "crowd" : owner.isThing ? "thing" : "stuff", owner.name)
        hash.add("segment", "\(segment.id)")
      }
    case .results(let results): hash.add(results)
    case .boxes(let boxes):
      hash.add("boxes", "\(boxes.count)")
      for box in boxes {
        hash.add("box", box.label)
        let numbers = [box.box.x, box.box.y, box.box.width, box.box.height]
        hash.add(box.isCrowd ? "crowd" : "object", numbers.flatMap(\.bytes))
        hash.add("area", box.area.map(\.bytes) ?? [])
        for point in box.keypoints ?? [] {
          hash.add(point.isLabelled ? "keypoint" : "unlabelled", point.name)
          hash.add("place", point.x.bytes + point.y.bytes)
        }
      }
    }
    return hash.finalize()
  }
}

extension Double {
  fileprivate var bytes: [UInt8] { withUnsafeBytes(of: bitPattern.littleEndian) { Array($0) } }
}

extension SHA256 {
  fileprivate mutating func add(_ kind: String, _ bytes: some Collection<UInt8>) {
    update(data: Array("\(kind) \(bytes.count)\n".utf8))
    update(data: Array(bytes))
  }

  fileprivate mutating func add(_ kind: String, _ text: String) { add(kind, Array(text.utf8)) }

  fileprivate mutating func add(_ kind: String, _ digest: SHA256.Digest) {
    add(kind, Array(digest))
  }

  /// Adds the SHA-256 of a file, which represents the file's bytes whatever their length.
  fileprivate mutating func addFile(_ path: String) throws {
    if let digest = try SHA256.file(path) { add("file", digest) } else { add("missing", "") }
  }

  fileprivate mutating func add(_ value: JSONValue) {
    switch value {
    case .null: add("null", "")
    case .bool(let bool): add("bool", "\(bool)")
    case .number(let number): add("number", number.bytes)
    case .integer(let integer): add("integer", "\(integer)")
    case .string(let text): add("string", text)
    case .array(let elements):
      add("array", "\(elements.count)")
      for element in elements { add(element) }
    case .object(let members):
      add("object", "\(members.count)")
      let keys = members.keys.sorted(by: ImageFolder.precedes)
      for key in keys {
        add("key", key)
        if let member = members[key] { add(member) }
      }
    }
  }

  /// The SHA-256 of a file's bytes, which are read in chunks, or nil if the file can't be read.
  ///
  /// - Throws: `TensorIOError` if libcrypto is missing.
  static func file(_ path: String) throws -> SHA256.Digest? {
    do {
      return try digest(ofFile: path)
    } catch let error as TensorIOError where error.code == .missingLibrary {
      throw error
    } catch {
      return nil
    }
  }

  static func digest(ofFile path: String) throws -> SHA256.Digest {
    let file = try FileSystem.open(path)
    var hash = try SHA256.start()
    while true {
      guard let piece = try? file.read(atMost: 1 << 18) else {
        throw TensorIOError(.unreadableFile, "'\(path)' could not be read to the end.")
      }
      if piece.isEmpty { return hash.finalize() }
      hash.update(data: piece)
    }
  }
}
