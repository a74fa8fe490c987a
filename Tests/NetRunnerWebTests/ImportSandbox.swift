// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO
import TestSupport
import Testing

@testable import NetRunner
@testable import NetRunnerWeb

/// A folder with a models folder and zip files, to check which files an import leaves.
final class ImportSandbox {
  let root: TestFolder
  var models: String { root.path + "/models" }
  var zip: String { root.path + "/upload.zip" }

  /// The shipped bundle from which valid zip files are made.
  static let demo = Python.root.path + "/Demo/digits.tiobundle"
  static let demoFiles = ["model.json", "model.tflite", "assets/labels.txt"]

  init() throws {
    root = try TestFolder()
    try FileManager.default.createDirectory(atPath: models, withIntermediateDirectories: false)
  }

  /// All files in the sandbox except the zip file, including hidden ones.
  var contents: [String] {
    get throws {
      try FileManager.default.subpathsOfDirectory(atPath: root.path)
        .filter { $0 != "upload.zip" && $0 != "models" }.sorted()
    }
  }

  /// The contents of the models folder after the shipped bundle was imported under a name.
  static func imported(_ name: String = "digits.tiobundle") -> [String] {
    let files = ["", "/assets", "/assets/labels.txt", "/model.json", "/model.tflite"]
    return files.map { "models/\(name)\($0)" }
  }

  /// Makes a zip file of texts by name.
  func zip(_ files: [(name: String, text: String)]) throws {
    let writer = try ZipWriter(zip)
    for file in files { try writer.add(Array(file.text.utf8), named: file.name) }
    try writer.close()
  }

  /// Makes a zip file of the shipped bundle with a changed model.json.
  func zipDemo(
    as name: String = "digits.tiobundle", changing change: (String) -> String = { $0 }
  ) throws {
    try? FileManager.default.removeItem(atPath: zip)
    let writer = try ZipWriter(zip)
    for file in Self.demoFiles {
      var bytes = Array(try FileSystem.read("\(Self.demo)/\(file)"))
      if file == "model.json" { bytes = Array(change(String(decoding: bytes, as: UTF8.self)).utf8) }
      try writer.add(bytes, named: "\(name)/\(file)")
    }
    try writer.close()
  }

  /// Makes a zip file with Python that libzip wouldn't make.
  func attack(_ kind: String) async throws {
    try await Python.run([
      "Tools/attack_zips.py", kind, zip, Self.demo,
    ])
  }

  /// Opens and unpacks the zip file.
  ///
  /// - Returns: The unpacked files by path.
  func unpack(_ limits: ArchiveLimits = ArchiveLimits()) throws -> [String: Data] {
    let archive = try BundleArchive(zip, limits: limits)
    return try archive.withUnpackedBundle(in: models) { bundle in
      var files: [String: Data] = [:]
      for name in try FileManager.default.subpathsOfDirectory(atPath: bundle)
      where !FileSystem.isFolder("\(bundle)/\(name)") {
        files[name] = try FileSystem.read("\(bundle)/\(name)")
      }
      return files
    }
  }

  /// The files of the shipped bundle.
  static func demoContent() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in demoFiles { files[name] = try FileSystem.read("\(demo)/\(name)") }
    return files
  }
}
#endif
