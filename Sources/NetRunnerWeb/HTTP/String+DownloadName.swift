// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
extension String {
  /// The text as part of a download's file name.
  ///
  /// Characters other than ASCII letters, digits, `-` and `_` become `-`.
  var downloadName: String {
    let name = String(
      unicodeScalars.prefix(80).map { scalar -> Character in
        let isPlain =
          scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
        return isPlain || scalar == "_" ? Character(scalar) : "-"
      })
    return name.isEmpty ? "download" : name
  }
}
#endif
