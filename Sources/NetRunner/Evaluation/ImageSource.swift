// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// Where a picture comes from.
public enum ImageSource: Sendable {
  /// A file's path.
  case file(String)
  /// An address that is fetched when the picture's turn comes.
  case url(String)
  /// The bytes of an encoded picture, under a name of the program's own.
  case bytes([UInt8], name: String)
  /// A decoded picture, under a name of the program's own.
  case pixels(PixelBuffer, name: String)
  /// A picture that must not be read, with the reason as a sentence: its row has that as its error.
  case refused(String, name: String)

  /// What identifies the picture in results: its path, address or name.
  public var id: String {
    switch self {
    case .file(let path): path
    case .url(let address): address
    case .bytes(_, let name), .pixels(_, let name), .refused(_, let name): name
    }
  }

  /// The word for the kind of source in results: `file`, `url` or `memory`.
  public var kind: String {
    switch self {
    case .file, .refused: "file"
    case .url: "url"
    case .bytes, .pixels: "memory"
    }
  }
}
