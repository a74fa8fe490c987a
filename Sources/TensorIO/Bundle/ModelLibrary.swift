// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The bundles in a folder.
///
/// A bundle that cannot be read does not keep the others from being found. It is listed in
/// ``failures``.
public struct ModelLibrary: Sendable {
  /// The usable bundles, sorted by the names of their models, ignoring case.
  public let bundles: [ModelBundle]
  /// The bundles that cannot be used, by path, each with its error.
  public let failures: [(path: String, error: TensorIOError)]

  /// Scans a folder, without its subfolders.
  ///
  /// - Throws: ``TensorIOError`` when the folder itself cannot be read.
  public init(scanning folder: String) throws {
    var bundles: [ModelBundle] = []
    var failures: [(path: String, error: TensorIOError)] = []
    for name in try FileSystem.contents(of: folder).sorted()
    where name.hasSuffix(".tiobundle") || name.hasSuffix(".tfbundle") {
      let path = folder + "/" + name
      do {
        bundles.append(try ModelBundle(path))
      } catch let error as TensorIOError {
        failures.append((path, error))
      }
    }
    self.bundles = bundles.sorted {
      ($0.manifest.name.lowercased(), $0.path) < ($1.manifest.name.lowercased(), $1.path)
    }
    self.failures = failures
  }

  /// The bundle whose model has this identifier; nil when there is none.
  public subscript(id id: String) -> ModelBundle? {
    bundles.first { $0.manifest.id == id }
  }
}
