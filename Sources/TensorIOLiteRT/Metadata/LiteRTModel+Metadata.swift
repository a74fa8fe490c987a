// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

extension LiteRTModel {
  /// The descriptive metadata that the file contains, or nil when it doesn't have any.
  ///
  /// Each access reads it again. Damaged metadata isn't an error, because the model still runs;
  /// ``ModelMetadata/problems`` lists what could not be read.
  package var metadata: ModelMetadata? {
    metadata(named: "TFLITE_METADATA").map { buffer in
      withFileBytes { file in
        file.withUnsafeBytes { MetadataReader.read(buffer, file: $0) }
      }
    }
  }

  /// The size of the file in bytes.
  package var byteCount: Int { withFileBytes { $0.byteCount } }
}
