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
      guard Self.isSafe(file.path) else {
        throw invalid("has the path '\(name)', which is not safe")
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

  /// Returns whether a path stays in its folder on every system and has no hidden names.
  static func isSafe(_ path: String) -> Bool {
    guard (1...1000).contains(path.utf8.count),
      path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != 0x5C && $0 != 0x3A })
    else { return false }
    let names = path.split(separator: "/", omittingEmptySubsequences: false)
    return names.count <= 32
      && names.allSatisfy { !$0.isEmpty && !$0.hasPrefix(".") && $0.utf8.count <= 255 }
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
