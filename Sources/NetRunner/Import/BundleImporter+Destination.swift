// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension BundleImporter {
  /// Chooses a bundle's path in the models folder.
  ///
  /// - Parameters:
  ///   - bundle: The bundle to import.
  ///   - former: The name of the folder that the bundle updates, or nil for a new model.
  ///   - replaces: Whether a model with the same id is replaced.
  /// - Returns: An unused path, the path of the model to replace, or the path of `former`.
  /// - Throws: ``ImportError``: `modelIsShipped` or `sameID`.
  func destination(
    of bundle: ModelBundle, over former: String?, replaces: Bool
  ) throws -> String {
    let id = bundle.manifest.id
    guard !isShipped(id) else {
      throw ImportError(
        .modelIsShipped,
        "The id '\(id)' belongs to a model that came with the program and can't be replaced. "
          + "Change \"id\" in the new bundle's model.json.")
    }
    let present = try ModelLibrary(scanning: folder).bundles.filter { $0.manifest.id == id }
    let others = present.filter { FileSystem.name(of: $0.path) != former }
    if let other = others.first {
      // An update of one model must not replace another model as well.
      guard replaces, former == nil else { throw Self.sameID(other) }
      return other.path
    }
    if let former { return "\(folder)/\(former)" }
    return "\(folder)/\(try freeName(for: bundle))"
  }

  private static func sameID(_ other: ModelBundle) -> ImportError {
    let manifest = other.manifest
    let version = manifest.version.isEmpty ? "" : ", version \(manifest.version)"
    return ImportError(
      .sameID,
      "A model with the id '\(manifest.id)' is already here: '\(manifest.name)'\(version). Replace "
        + "it, or change \"id\" in the new bundle's model.json.")
  }

  /// Returns an unused folder name: the bundle's own name, or one derived from its id.
  private func freeName(for bundle: ModelBundle) throws -> String {
    // Some file systems treat 'A' and 'a' as the same.
    let taken = Set(try FileSystem.contents(of: folder).map { $0.lowercased() })
    let own = FileSystem.name(of: bundle.path)
    guard taken.contains(own.lowercased()) else { return own }
    let plain = bundle.manifest.id.unicodeScalars.prefix(100).map { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
        ? Character(scalar) : "-"
    }
    let base = plain.isEmpty ? "model" : String(plain)
    var name = "\(base).tiobundle"
    var number = 1
    while taken.contains(name.lowercased()) {
      number += 1
      name = "\(base)-\(number).tiobundle"
    }
    return name
  }
}
