// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// A folder that nothing is read outside of, also through links.
///
/// Who may name datasets but not read this machine's files gives one: a table, a test bundle or
/// COCO's annotations could else name any picture of the machine.
package struct ConfinedFolder: Sendable, Hashable {
  /// The folder, without links.
  package let path: String

  /// Makes an enclosure; nil where there is no folder.
  package init?(_ path: String) {
    guard let real = PictureFolder.realPath(path), FileSystem.isFolder(real) else { return nil }
    self.path = real
  }

  /// What a path leads to, without links; nil where nothing is, or it lies outside.
  ///
  /// The two are not told apart: who asks must not learn what there is outside.
  package func place(of path: String) -> String? {
    guard !path.utf8.contains(0), let real = PictureFolder.realPath(path) else { return nil }
    return real == self.path || real.hasPrefix(self.path == "/" ? "/" : self.path + "/")
      ? real : nil
  }
}

extension Dataset {
  /// The dataset with errors for the pictures outside of a folder, which are then not read.
  ///
  /// A picture whose class map lies outside is one of them: it could not be judged.
  func confined(to confinedFolder: ConfinedFolder) -> Dataset {
    var dataset = self
    for index in samples.indices {
      let sample = samples[index]
      guard case .file(let path) = sample.source else { continue }
      var place = confinedFolder.place(of: path)
      if case .classMap(let map) = sample.truth {
        let mapPlace = confinedFolder.place(of: map)
        dataset.samples[index].truth = mapPlace.map { .classMap($0) }
        if mapPlace == nil { place = nil }
      }
      dataset.samples[index].source =
        place.map { .file($0) }
        ?? .refused(
          "'\(sample.id)' is not there, or lies outside of the dataset's folder, and is not read.",
          name: sample.id)
    }
    return dataset
  }
}
