// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO

/// A bundle in the state in which it was read, which differs once one of its files is changed.
struct BundleState: Hashable {
  private let path: String
  private let marks: [String]

  init(_ bundle: ModelBundle) {
    path = bundle.path
    let assets = bundle.path + "/assets"
    // A bundle without this folder has no assets.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: assets)) ?? []
    let files = [bundle.path + "/model.json", bundle.modelPath ?? ""]
    marks = (files + names.sorted().map { assets + "/" + $0 }).map { path in
      // A missing file has no attributes. Whoever reads it says what is wrong.
      let attributes = (try? FileManager.default.attributesOfItem(atPath: path)) ?? [:]
      let marks: [FileAttributeKey] = [.modificationDate, .size, .systemFileNumber]
      return path + marks.map { " \(attributes[$0] ?? "")" }.joined()
    }
  }
}
#endif
