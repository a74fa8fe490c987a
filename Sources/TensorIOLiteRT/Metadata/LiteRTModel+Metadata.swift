// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension LiteRTModel {
  /// What the file says of itself beyond its tensors; nil when it says nothing.
  ///
  /// It is read anew each time. Damaged metadata is no error, since the model runs all the same:
  /// ``ModelMetadata/problems`` tells what is missing.
  public var metadata: ModelMetadata? {
    metadata(named: "TFLITE_METADATA").map { buffer in
      withFileBytes { file in
        file.withUnsafeBytes { MetadataReader.read(buffer, file: $0) }
      }
    }
  }

  /// The size of the file.
  package var byteCount: Int { withFileBytes { $0.byteCount } }
}
