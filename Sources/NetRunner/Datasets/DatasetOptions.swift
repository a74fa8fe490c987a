// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// How a dataset is read, where its layout leaves something open.
public struct DatasetOptions: Sendable, Hashable {
  /// The folder that the paths of a table or of COCO's annotations begin in; nil looks beside the
  /// file.
  public var imagesFolder: String?
  /// The folder that everything that is read must lie in, also through links; nil reads what the
  /// dataset names.
  package var confinedFolder: ConfinedFolder?

  /// Makes options.
  public init(imagesFolder: String? = nil) {
    self.imagesFolder = imagesFolder
  }
}
