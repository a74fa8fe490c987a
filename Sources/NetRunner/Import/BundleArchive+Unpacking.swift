// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension BundleArchive {
  /// The prefix of the names of folders that bundles are unpacked into.
  static let freshPrefix = ".import-"

  /// Unpacks the bundle into a hidden folder, and deletes the folder afterwards.
  ///
  /// Files are readable by everyone and never executable, whatever the zip file says.
  ///
  /// - Parameters:
  ///   - folder: The folder in which the hidden folder is created.
  ///   - isOver: Called now and then. If it returns true, unpacking stops.
  ///   - onProgress: Called with the fraction that has been unpacked, from 0 to 1.
  ///   - body: Called with the path of the unpacked bundle, which it may move elsewhere.
  /// - Returns: What the body returns.
  /// - Throws: ``ImportError``: `damagedZip`, `cancelled` or `cannotWrite`; what the body throws.
  func withUnpackedBundle<Result>(
    in folder: String, until isOver: () -> Bool = { false },
    onProgress: (Double) -> Void = { _ in }, _ body: (_ bundle: String) throws -> Result
  ) throws -> Result {
    let fresh = "\(folder)/\(Self.freshPrefix)\(UUID().uuidString)"
    try makeFolder(fresh, permissions: 0o700)
    // If the folder can't be deleted, it stays hidden and `removeLeftovers()` tries again.
    defer { try? FileManager.default.removeItem(atPath: fresh) }
    try unpack(into: fresh, until: isOver, onProgress: onProgress)
    return try body("\(fresh)/\(name)")
  }

  private func unpack(
    into folder: String, until isOver: () -> Bool, onProgress: (Double) -> Void
  ) throws {
    let reader = try ZipReader(path, expecting: directory)
    let total = max(1, items.reduce(0) { $0 + $1.entry.size })
    var done = 0
    var folders: Set<[String]> = []
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    onProgress(0)
    for item in items {
      guard !isOver() else { throw ImportError.cancelled }
      let depth = item.path.count - (item.entry.isFolder ? 0 : 1)
      for count in stride(from: 1, through: depth, by: 1) {
        let part = Array(item.path.prefix(count))
        guard folders.insert(part).inserted else { continue }
        try makeFolder("\(folder)/\(part.joined(separator: "/"))", permissions: 0o755)
      }
      guard !item.entry.isFolder else { continue }
      let file = try writing {
        try OpenFile(creating: "\(folder)/\(item.path.joined(separator: "/"))")
      }
      try reader.unpack(item.entry, through: &buffer) { bytes in
        guard !isOver() else { throw ImportError.cancelled }
        try writing { try file.write(bytes) }
        done += bytes.count
        onProgress(Double(done) / Double(total))
      }
      try writing { try file.flush() }
    }
  }

  private func makeFolder(_ path: String, permissions: UInt32) throws {
    try writing { try FileOperations.makeFolder(path, permissions: permissions) }
  }

  private func writing<Result>(_ work: () throws -> Result) throws -> Result {
    do {
      return try work()
    } catch {
      throw ImportError.cannotWrite(name, error)
    }
  }
}
