// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CZip
import Files
import TensorIO
import TensorIODecoding

/// NumPy arrays whose first axis counts the samples, with an array of their labels.
extension DatasetReader {
  private static let inputNames = ["x", "inputs", "features", "data", "images"]
  private static let labelNames = ["y", "labels", "targets", "target", "label"]
  private static let parts = ["_test", "", "_val", "_train"]

  func readArrays() throws -> Dataset {
    let isArchive = path.lowercased().hasSuffix(".npz")
    let arrays = try isArchive ? archivedArrays() : filedArrays()
    let shape = arrays.inputs.tensor.shape
    guard let count = shape.first, count > 0 else {
      throw TensorIOError(
        .wrongKind,
        "'\(path)' has the shape \(shape), but the first axis must count the samples.")
    }
    guard shape.allSatisfy({ $0 > 0 }) else {
      throw TensorIOError(
        .wrongKind, "'\(path)' has the shape \(shape), so its items have no values.")
    }
    let truths = try arrays.labels.map { try Self.truths($0.tensor, of: count, named: path) }
    let tensor = arrays.inputs.tensor
    let samples = try (0..<count).map { index in
      let item = try tensor.withBytes { bytes in
        let width = bytes.byteCount / count
        return try Tensor(
          copying: bytes.extracting((index * width)..<((index + 1) * width)),
          dataType: tensor.dataType, shape: Array(shape.dropFirst()))
      }
      return Sample(
        id: "\(index)", source: .tensor(item, name: "item \(index) of '\(path)'"),
        truth: truths?[index])
    }
    return Dataset(
      layout: .arrays, name: name, path: path, samples: samples,
      notes: [
        "read as \(counted(count, "item")) of shape \(shape.dropFirst()), "
          + (arrays.labels == nil ? "without labels" : "with labels from '\(arrays.labelsName)'")
      ])
  }

  private struct Arrays {
    var inputs: NumPyFile
    var labels: NumPyFile?
    var labelsName = ""
  }

  /// Reads a file, and the file beside it whose name has "y" in place of "x".
  private func filedArrays() throws -> Arrays {
    var arrays = Arrays(inputs: try NumPyFile(path))
    let name = FileSystem.name(of: path)
    guard let first = name.first, first == "x" || first == "X" else { return arrays }
    arrays.labelsName = (first == "x" ? "y" : "Y") + name.dropFirst()
    for candidate in [arrays.labelsName, "y" + name.dropFirst()] {
      let file = FileSystem.folder(of: path) + "/" + candidate
      guard FileSystem.isFile(file) else { continue }
      try checkEnclosed(file)
      arrays.labels = try NumPyFile(file)
      arrays.labelsName = candidate
      break
    }
    return arrays
  }

  private func archivedArrays() throws -> Arrays {
    let archive = try ArrayArchive(path)
    func find(_ stems: [String]) throws -> (name: String, file: NumPyFile)? {
      for part in Self.parts {
        for stem in stems {
          if let name = archive.names.first(where: { $0.lowercased() == stem + part }) {
            return (name, try archive.array(name))
          }
        }
      }
      return nil
    }
    guard let inputs = try find(Self.inputNames) else {
      throw TensorIOError(
        .wrongKind,
        "'\(path)' has the arrays \(archive.names.sorted().joined(separator: ", ")), but none is "
          + "named 'x', as in numpy.savez(file, x=inputs, y=labels).")
    }
    let labels = try find(Self.labelNames)
    return Arrays(inputs: inputs.file, labels: labels?.file, labelsName: labels?.name ?? "")
  }

  private static func truths(
    _ labels: Tensor, of count: Int, named path: String
  ) throws -> [GroundTruth] {
    guard labels.shape.first == count else {
      throw TensorIOError(
        .wrongElementCount,
        "'\(path)' has \(counted(count, "item")), but the labels have the shape \(labels.shape).")
    }
    let numbers: [Double] = try labels.numbers()
    let width = numbers.count / count
    let areClasses = width == 1 && ![.float16, .float32, .float64].contains(labels.dataType)
    return (0..<count).map { index in
      areClasses
        ? .label("\(Int(numbers[index]))")
        : .values(Array(numbers[(index * width)..<((index + 1) * width)]))
    }
  }
}

/// An archive of NumPy's `savez`, which libzip unpacks.
private final class ArrayArchive {
  /// The most bytes of an array, so that a damaged archive doesn't take all memory.
  private static let mostBytes: UInt64 = 4 << 30

  /// The names of the arrays.
  private(set) var names: [String] = []
  private let path: String
  private let library: ZipLibrary
  private let archive: OpaquePointer
  private var indices: [String: UInt64] = [:]

  /// The corresponding C function is `zip_open`.
  init(_ path: String) throws {
    self.path = path
    library = try ZipLibrary.shared
    var code: CInt = 0
    guard let archive = library.open(path, ZIP_RDONLY, &code) else {
      throw TensorIOError(
        .wrongKind, "'\(path)' can't be read as a NumPy archive: \(library.text(ofCode: code)).")
    }
    self.archive = archive
    for index in 0..<UInt64(max(library.entryCount(archive, 0), 0)) {
      guard let text = library.entryName(archive, index, 0) else { continue }
      let name = String(cString: text)
      guard name.hasSuffix(".npy") else { continue }
      names.append(String(name.dropLast(4)))
      indices[String(name.dropLast(4))] = index
    }
  }

  deinit { library.discard(archive) }

  /// Unpacks an array.
  ///
  /// The corresponding C functions are `zip_stat_index`, `zip_fopen_index` and `zip_fread`.
  func array(_ name: String) throws -> NumPyFile {
    let shown = "\(path):\(name)"
    func fault(_ reason: String) -> TensorIOError {
      TensorIOError(.wrongKind, "'\(shown)' can't be unpacked: \(reason).")
    }
    guard let index = indices[name] else {
      throw fault("the archive has only \(names.sorted().joined(separator: ", "))")
    }
    var facts = zip_stat_t()
    guard library.entryFacts(archive, index, 0, &facts) == 0, facts.size <= Self.mostBytes,
      let file = library.openEntry(archive, index, 0)
    else { throw fault(library.text(of: library.error(archive))) }
    defer { _ = library.closeEntry(file) }
    // The declared size may be wrong, so memory grows only with what is really there.
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = buffer.withUnsafeMutableBytes { memory in
        library.readEntry(file, memory.baseAddress, UInt64(memory.count))
      }
      guard count >= 0 else { throw fault(library.text(of: library.entryError(file))) }
      guard bytes.count + Int(count) <= Self.mostBytes else { throw fault("it is too large") }
      if count == 0 { break }
      bytes += buffer[..<Int(count)]
    }
    return try NumPyFile(bytes, named: shown)
  }
}
