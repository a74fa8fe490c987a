// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// How a dataset is read, where its layout leaves something open.
public struct DatasetOptions: Sendable, Hashable {
  /// The folder that the paths of a table or of COCO's annotations begin in; nil looks beside the
  /// file.
  public var imagesFolder: String?

  /// Makes options.
  public init(imagesFolder: String? = nil) {
    self.imagesFolder = imagesFolder
  }
}
