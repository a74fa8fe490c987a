// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The parts of COCO's JSON that are read.
///
/// Everything else, such as outlines, is ignored.
struct COCODocument: Decodable {
  var images: [Image]
  var annotations: [Annotation]?
  var categories: [Category]?

  struct Image: Decodable {
    var id: Identifier
    var fileName: String

    private enum CodingKeys: String, CodingKey {
      case id
      case fileName = "file_name"
    }
  }

  struct Annotation: Decodable {
    var id: Identifier?
    var imageID: Identifier
    var categoryID: Identifier
    /// x, y, width and height in pixels.
    ///
    /// Some programs write an empty array if there is no box.
    var bbox: [Double]?
    var area: Double?
    var isCrowd: Flag?

    private enum CodingKeys: String, CodingKey {
      case id, bbox, area
      case imageID = "image_id"
      case categoryID = "category_id"
      case isCrowd = "iscrowd"
    }
  }

  struct Category: Decodable {
    var id: Identifier
    var name: String
  }

  /// A number in COCO's own format, or a string from some programs.
  enum Identifier: Decodable, Hashable, CustomStringConvertible {
    case number(Int)
    case text(String)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let number = try? container.decode(Int.self) {
        self = .number(number)
      } else {
        self = .text(try container.decode(String.self))
      }
    }

    var description: String {
      switch self {
      case .number(let number): "\(number)"
      case .text(let text): "'\(text)'"
      }
    }
  }

  /// 0 or 1 in COCO's own format, or a Boolean from some programs.
  struct Flag: Decodable {
    var isSet: Bool

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let number = try? container.decode(Int.self) {
        guard number == 0 || number == 1 else {
          throw DecodingError.dataCorruptedError(
            in: container, debugDescription: "expected 0 or 1, got \(number)")
        }
        isSet = number == 1
      } else {
        isSet = try container.decode(Bool.self)
      }
    }
  }
}
