// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The hardware that runs a session.
public enum Accelerator: String, CaseIterable, Codable, Sendable {
  /// The processors, which every runtime uses.
  case cpu
  /// The graphics processor.
  ///
  /// A runtime that can't use it throws an error when the model is loaded, or when a session is made.
  case gpu
}
