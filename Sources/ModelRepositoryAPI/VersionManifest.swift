// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
/// What a version of a model consists of.
///
/// It is itself a blob, whose digest names the version for ever.
public struct VersionManifest: Sendable, Hashable, Codable {
  /// What the files make together.
  public enum Format: String, Sendable, Codable {
    /// The files of a `.tiobundle` folder.
    case bundle = "tiobundle"
    /// One `.tflite` file.
    case tflite
  }

  /// A file of the model.
  public struct File: Sendable, Hashable, Codable {
    /// Where it lies in the model's folder: names with `/` between them, none hidden.
    public var path: String
    /// The SHA-256 of its bytes.
    public var digest: BlobDigest
    /// How many bytes it has.
    public var size: Int

    /// Makes an entry.
    public init(path: String, digest: BlobDigest, size: Int) {
      self.path = path
      self.digest = digest
      self.size = size
    }

    /// The file's bytes.
    public var blob: BlobReference { BlobReference(digest: digest, size: size) }
  }

  /// What the version is called.
  public var version: RepositoryName
  /// The model it is a version of.
  public var model: RepositoryName
  /// What the files make together.
  public var format: Format
  /// The files, by path.
  public var files: [File]
  /// What people should know of it.
  public var details: String?

  /// Makes a manifest; the files are put in order.
  public init(
    model: RepositoryName, version: RepositoryName, format: Format, files: [File],
    details: String? = nil
  ) {
    self.model = model
    self.version = version
    self.format = format
    self.files = files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    self.details = details
  }

  /// The most files that a version may have.
  public static let maximumFiles = 10_000
  /// The most bytes that a manifest may have.
  public static let maximumBytes = 8 << 20

  /// How many bytes all files have.
  public var size: Int { files.reduce(0) { $0 + $1.size } }

  /// Checks what no decoder checks: paths that leave the folder or meet each other, sizes, counts.
  ///
  /// - Throws: ``RepositoryError`` with the code `.invalidManifest`, which names the file.
  public func validate() throws {
    guard (1...Self.maximumFiles).contains(files.count) else {
      throw invalid(
        files.isEmpty
          ? "has no files; it needs at least one"
          : "has \(files.count) files; at most \(Self.maximumFiles) are possible")
    }
    guard format == .bundle || files.count == 1 else {
      throw invalid("has \(files.count) files; a tflite version has one")
    }
    var paths: Set<String> = []
    var total = 0
    for file in files {
      let name = file.path.prefix(100)
      guard Self.isSafe(file.path) else {
        throw invalid("has the path '\(name)', which is not safe")
      }
      // A file system that does not tell case apart would lose one of the two.
      guard paths.insert(file.path.lowercased()).inserted else {
        throw invalid("has '\(name)' twice")
      }
      let (sum, overflow) = total.addingReportingOverflow(file.size)
      guard file.size >= 0, !overflow else {
        throw invalid("says that '\(name)' has \(file.size) bytes")
      }
      total = sum
    }
    for path in paths {
      var parents = path.split(separator: "/").dropLast()
      while !parents.isEmpty {
        guard !paths.contains(parents.joined(separator: "/")) else {
          throw invalid("has '\(path.prefix(100))' within a file")
        }
        parents.removeLast()
      }
    }
  }

  /// Whether a path stays in its folder on every system, and hides nothing.
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
#endif
