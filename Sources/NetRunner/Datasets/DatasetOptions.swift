// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// Options for reading a dataset whose layout leaves something open.
public struct DatasetOptions: Sendable, Hashable {
  /// The folder that the paths in a table or in COCO annotations are relative to.
  ///
  /// If nil, a table's own folder is used, and the images of COCO annotations are looked for near
  /// the file.
  public var imagesFolder: String?
  /// The folder that all files must lie in, even when they are reached through links.
  ///
  /// If nil, the dataset can name any file.
  package var confinedFolder: ConfinedFolder?

  /// Creates options.
  public init(imagesFolder: String? = nil) {
    self.imagesFolder = imagesFolder
  }
}
