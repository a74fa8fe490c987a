// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TensorIO

/// A file that is sent in chunks.
struct FileDownload: Sendable {
  private let handle: FileHandle
  private let size: Int
  private static let pieceSize = 1 << 18

  /// Opens a file.
  ///
  /// The file can be deleted afterward. Its contents remain available until they are sent.
  ///
  /// - Throws: The system's error.
  init(_ path: String) throws {
    handle = try FileHandle(forReadingFrom: URL(filePath: path))
    size = Int(try handle.seekToEnd())
    try handle.seek(toOffset: 0)
  }

  /// Makes a response with the whole file.
  ///
  /// - Parameters:
  ///   - type: The file's media type.
  ///   - name: The file's name. It may contain only ASCII letters, digits, `-`, `_` and `.`.
  ///   - queue: The queue on which the file is read.
  /// - Returns: The response.
  func response(type: String, name: String, on queue: WorkQueue) -> Response {
    let (handle, pieceSize) = (handle, Self.pieceSize)
    let body = ResponseBody(contentLength: size) { writer in
      while let piece = try await queue.run({ try handle.read(upToCount: pieceSize) }),
        !piece.isEmpty
      {
        try await writer.write(ByteBuffer(bytes: piece))
      }
      try await writer.finish(nil)
    }
    return Response(
      status: .ok,
      headers: [
        .contentType: type, .contentDisposition: "attachment; filename=\"\(name)\"",
      ], body: body)
  }
}

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
