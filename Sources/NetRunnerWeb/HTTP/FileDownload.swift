// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import Hummingbird

/// A file that is sent in chunks.
struct FileDownload: Sendable {
  private let handle: FileHandle
  private let size: Int

  /// Opens a file, which can be deleted afterward.
  init(_ path: String) throws {
    handle = try FileHandle(forReadingFrom: URL(filePath: path))
    size = Int(try handle.seekToEnd())
    try handle.seek(toOffset: 0)
  }

  /// Makes a response with the file, whose name has only ASCII letters, digits, `-`, `_` and `.`.
  func response(type: String, name: String, on queue: WorkQueue) -> Response {
    let body = ResponseBody(contentLength: size) { [handle] writer in
      while let piece = try await queue.run({ try handle.read(upToCount: 1 << 18) }),
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
  /// The text as part of a download's file name: characters other than ASCII letters, digits, `-` and `_` become `-`.
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
