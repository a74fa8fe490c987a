// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
extension RepositoryName {
  /// The channel `stable`, which clients follow by default.
  public static let stable = RepositoryName(checked: "stable")

  private init(checked text: String) { self.text = text }
}
#endif
