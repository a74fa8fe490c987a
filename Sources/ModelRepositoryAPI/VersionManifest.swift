// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
/// A description of a version of a model and its files.
///
/// The manifest is itself a blob, whose digest identifies the version permanently.
public struct VersionManifest: Sendable, Hashable, Codable {
  /// The format of the files.
  public enum Format: String, Sendable, Codable {
    /// The files of a `.tiobundle` folder.
    case bundle = "tiobundle"
    /// One `.tflite` file.
    case tflite
  }

  /// A file of the model.
  package struct File: Sendable, Hashable, Codable {
    /// The path in the model's folder, with `/` between names, none of which is hidden.
    package var path: String
    package var digest: BlobDigest
    package var size: Int

    /// The file's bytes.
    package var blob: BlobReference { BlobReference(digest: digest, size: size) }
  }

  package var version: RepositoryName
  package var model: RepositoryName
  package var format: Format
  /// The files, sorted by path.
  package var files: [File]
  /// A description of the version for people.
  package var details: String?

  /// Creates a manifest and sorts its files by path.
  package init(
    model: RepositoryName, version: RepositoryName, format: Format, files: [File],
    details: String? = nil
  ) {
    self.model = model
    self.version = version
    self.format = format
    self.files = files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    self.details = details
  }

  static let maximumFiles = 10_000
  /// The maximum size of a manifest, in bytes.
  package static let maximumBytes = 8 << 20

  /// The total size of the files, in bytes.
  package var size: Int { files.reduce(0) { $0 + $1.size } }

  /// Checks the constraints that decoding doesn't check.
  ///
  /// It checks the number of files and their sizes, and that no path is unsafe or collides with
  /// another.
  ///
  /// - Throws: ``RepositoryError`` with the code `.invalidManifest`. Its message names the file
  ///   that is at fault.
  package func validate() throws {
    guard (1...Self.maximumFiles).contains(files.count) else {
      throw invalid(
        files.isEmpty
          ? "has no files, but it needs at least one"
          : "has \(files.count) files, but at most \(Self.maximumFiles) are allowed")
    }
    guard format == .bundle || files.count == 1 else {
      throw invalid("has \(files.count) files, but a tflite version must have one")
    }
    var paths: Set<String> = []
    var total = 0
    for file in files {
      let name = file.path.prefix(100)
      if let fault = Self.fault(of: file.path) {
        throw invalid(
          "has the path '\(name)', which isn't safe, because \(fault). Rename or remove the file")
      }
      // A case-insensitive file system would lose one of the two files.
      guard paths.insert(file.path.lowercased()).inserted else {
        throw invalid("contains '\(name)' twice")
      }
      let (sum, overflow) = total.addingReportingOverflow(file.size)
      guard file.size >= 0, !overflow else {
        throw invalid("has '\(name)' with an invalid size of \(file.size) bytes")
      }
      total = sum
    }
    for path in paths {
      var parents = path.split(separator: "/").dropLast()
      while !parents.isEmpty {
        guard !paths.contains(parents.joined(separator: "/")) else {
          throw invalid("contains '\(path.prefix(100))', but one of its parent folders is a file")
        }
        parents.removeLast()
      }
    }
  }

  /// Returns why a path might leave its folder on some system or has a hidden name; nil if it is
  /// safe.
  static func fault(of path: String) -> String? {
    guard path.utf8.count <= 1000 else {
      return "it has \(path.utf8.count) bytes, but at most 1000 are allowed"
    }
    // Bytes are compared, because a combining accent would hide a character.
    if path.utf8.contains(0x3A) { return "it contains ':'" }
    if path.utf8.contains(0x5C) { return "it contains '\\'" }
    guard path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      return "it contains a control character"
    }
    let names = path.split(separator: "/", omittingEmptySubsequences: false)
    guard names.count <= 32 else {
      return "it has \(names.count) names, but at most 32 are allowed"
    }
    for name in names {
      if name.isEmpty { return "one of its names is empty" }
      if name.utf8.first == 0x2E { return "'\(name.prefix(40))' begins with a full stop" }
      guard name.utf8.count > 255 else { continue }
      return "one of its names has \(name.utf8.count) bytes, but at most 255 are allowed"
    }
    return nil
  }

  private func invalid(_ what: String) -> RepositoryError {
    RepositoryError(.invalidManifest, "Version '\(version)' of '\(model)' \(what).")
  }
}

extension VersionManifest.File {
  package init(path: String, _ blob: BlobReference) {
    self.init(path: path, digest: blob.digest, size: blob.size)
  }
}
#endif
