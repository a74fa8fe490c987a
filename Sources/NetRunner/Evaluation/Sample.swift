// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

public import TensorIO

/// An image of a dataset and its ground truth.
public struct Sample: Sendable {
  /// The image's unique identifier in the dataset, usually its path relative to the dataset.
  public var id: String
  /// Where the image comes from.
  public var source: ImageSource
  /// What a model should find, or nil if the image has no label.
  public var truth: GroundTruth?

  /// Creates a sample.
  public init(id: String, source: ImageSource, truth: GroundTruth? = nil) {
    self.id = id
    self.source = source
    self.truth = truth
  }
}

/// Where an image comes from.
public enum ImageSource: Sendable {
  /// A file's path.
  case file(String)
  /// A URL that is fetched when the image is evaluated.
  case url(String)
  /// The bytes of an encoded image, with a name chosen by the program.
  case bytes([UInt8], name: String)
  /// A decoded image, with a name chosen by the program.
  case pixels(PixelBuffer, name: String)
  /// A tensor, such as a row of a NumPy file, with a name chosen by the program.
  case tensor(Tensor, name: String)
  /// A row of a table, with a name chosen by the program.
  case row(TableRow, name: String)
  /// A file of bare numbers, as MLPerf Tiny has them.
  case numbers(NumberFile)
  /// An image that must not be read.
  ///
  /// The reason, a sentence, becomes the error of the image's row.
  case refused(String, name: String)

  /// The image's identifier in results: its path, URL or name.
  public var id: String {
    switch self {
    case .file(let path): path
    case .url(let address): address
    case .bytes(_, let name), .pixels(_, let name), .refused(_, let name), .tensor(_, let name),
      .row(_, let name):
      name
    case .numbers(let file): file.path
    }
  }

  /// The path of a file that is an image or a recording; otherwise nil.
  var path: String? {
    if case .file(let path) = self { path } else { nil }
  }

  /// The kind of source in results: `file`, `url` or `memory`.
  public var kind: String {
    switch self {
    case .file, .refused, .numbers: "file"
    case .url: "url"
    case .bytes, .pixels, .tensor, .row: "memory"
    }
  }
}

/// A row of a table without the columns of its labels.
public struct TableRow: Sendable, Hashable {
  /// The names of the columns, in order.
  public var columns: [String]
  /// The cells in the same order.
  public var cells: [JSONValue]

  /// Creates a row.
  public init(columns: [String], cells: [JSONValue]) {
    self.columns = columns
    self.cells = cells
  }

  /// The cells by the names of their columns.
  package var members: [String: JSONValue] {
    Dictionary(zip(columns, cells)) { first, _ in first }
  }
}

/// A file of the bare values of one tensor, or of several windows.
///
/// Its elements are 32-bit floating-point numbers or single bytes, which the size shows.
public struct NumberFile: Sendable, Hashable {
  /// The path of the file.
  public var path: String
  /// The number of bytes of a window; nil for the whole file.
  public var width: Int?
  /// The number of bytes from one window to the next.
  public var stride: Int?

  /// Creates a file.
  public init(path: String, width: Int? = nil, stride: Int? = nil) {
    self.path = path
    self.width = width
    self.stride = stride
  }
}
