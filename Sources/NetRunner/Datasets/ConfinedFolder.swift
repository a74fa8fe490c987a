// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
import TensorIO

/// A folder that all files must lie in, even when they are reached through links.
///
/// It is for callers who may name datasets but must not read other files of this machine. Without
/// it, a table, a test bundle or COCO annotations could name any image on the machine.
package struct ConfinedFolder: Sendable, Hashable {
  /// The folder's path, without symbolic links.
  package let path: String
  /// The folder's name for people who don't know its path.
  package let name: String

  /// Creates a confined folder, or returns nil if there is no folder at the path.
  ///
  /// Without a name, it is the path's last component.
  package init?(_ path: String, named name: String? = nil) {
    guard let real = FileOperations.realPath(path), FileSystem.isFolder(real) else { return nil }
    self.path = real
    self.name = name ?? FileSystem.name(of: path)
  }

  /// Returns a path for people who don't know where the folder is.
  ///
  /// A path outside the folder is represented by its last component.
  package func shown(_ path: String) -> String {
    if path == self.path { return name }
    return path.hasPrefix(self.path + "/")
      ? String(path.dropFirst(self.path.count + 1)) : FileSystem.name(of: path)
  }

  /// Resolves the links in a path.
  ///
  /// The result is nil if nothing exists at the path or if it lies outside the folder. The two
  /// cases look the same, so that callers can't find out which files exist outside.
  package func confinedPath(of path: String) -> String? {
    guard !path.utf8.contains(0), let real = FileOperations.realPath(path) else { return nil }
    return real == self.path || real.hasPrefix(self.path == "/" ? "/" : self.path + "/")
      ? real : nil
  }

  /// Whether a path exists and lies inside the folder.
  func contains(_ path: String) -> Bool { confinedPath(of: path) != nil }
}

extension Dataset {
  /// A copy of the dataset in which images outside a folder are replaced with errors and never
  /// read.
  ///
  /// An image whose class map lies outside is replaced as well, because it couldn't be judged.
  func confined(to confinedFolder: ConfinedFolder) -> Dataset {
    var dataset = self
    for index in samples.indices {
      let sample = samples[index]
      let path: String
      switch sample.source {
      case .file(let file): path = file
      case .numbers(let file): path = file.path
      default: continue
      }
      var confinedPath = confinedFolder.confinedPath(of: path)
      if case .classMap(let map) = sample.truth {
        let mapPath = confinedFolder.confinedPath(of: map)
        dataset.samples[index].truth = mapPath.map { .classMap($0) }
        if mapPath == nil { confinedPath = nil }
      }
      if case .segments(var truth) = sample.truth {
        let mapPath = confinedFolder.confinedPath(of: truth.path)
        truth.path = mapPath ?? ""
        dataset.samples[index].truth = mapPath.map { _ in .segments(truth) }
        if mapPath == nil { confinedPath = nil }
      }
      dataset.samples[index].source =
        confinedPath.map(sample.source.at)
        ?? .refused(
          "'\(sample.id)' is missing, or lies outside the dataset's folder, so it was not read.",
          name: sample.id)
    }
    return dataset
  }
}

extension ImageSource {
  /// The same source at another path.
  fileprivate func at(_ path: String) -> ImageSource {
    guard case .numbers(var file) = self else { return .file(path) }
    file.path = path
    return .numbers(file)
  }
}
