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
    let files = FileManager.default.subpaths(atPath: bundle.path) ?? []
    marks = files.sorted().map { file in
      let target = URL(filePath: bundle.path + "/" + file).resolvingSymlinksInPath()
      // A missing file has no attributes. Whoever reads it says what is wrong.
      let attributes = (try? FileManager.default.attributesOfItem(atPath: target.path)) ?? [:]
      let marks: [FileAttributeKey] = [.modificationDate, .size, .systemFileNumber]
      return file + marks.map { " \(attributes[$0] ?? "")" }.joined()
    }
  }
}
#endif
