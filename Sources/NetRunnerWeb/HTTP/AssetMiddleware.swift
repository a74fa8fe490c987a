// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import Hummingbird
import ModelRepositoryAPI
import TensorIO
import WebServing

/// Serves the page's files, which are read once when the server starts.
///
/// A request's path is looked up and never joined to a folder, so it can't lead out of the folder.
struct AssetMiddleware: RouterMiddleware {
  typealias Context = WebContext

  private struct Asset {
    let bytes: ByteBuffer
    let type: String
    let tag: String
  }

  private let assets: [String: Asset]

  init(_ folder: String) throws {
    var assets: [String: Asset] = [:]
    for path in FileManager.default.enumerator(atPath: folder)?.compactMap({ $0 as? String }) ?? []
    {
      guard let type = Self.types[path.split(separator: ".").last.map(String.init) ?? ""],
        FileSystem.isFile(folder + "/" + path)
      else { continue }
      let data = try FileSystem.read(folder + "/" + path)
      let tag = "\"\(BlobDigest(of: data).hexadecimal.prefix(24))\""
      assets["/" + path] = Asset(bytes: ByteBuffer(bytes: data), type: type, tag: tag)
    }
    assets["/"] = assets["/index.html"]
    self.assets = assets
  }

  func handle(
    _ request: Request, context: WebContext,
    next: (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    guard let asset = assets[request.uri.path] else { return try await next(request, context) }
    guard request.method == .get || request.method == .head else {
      throw WebError(wrongMethodOf: request, allowed: "GET, HEAD")
    }
    // Browsers ask each time whether the file has changed, so that they show a newer program's page
    // at once. An unchanged file isn't sent again.
    let headers: HTTPFields = [
      .contentType: asset.type, .eTag: asset.tag, .cacheControl: "no-cache",
    ]
    if request.headers[.ifNoneMatch] == asset.tag {
      return Response(status: .notModified, headers: headers)
    }
    if request.method == .head {
      return Response(
        status: .ok, headers: headers,
        body: ResponseBody(contentLength: asset.bytes.readableBytes) { try await $0.finish(nil) })
    }
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: asset.bytes))
  }

  private static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "json": "application/json",
    "svg": "image/svg+xml", "png": "image/png", "txt": "text/plain; charset=utf-8",
    "webmanifest": "application/manifest+json",
  ]
}
#endif
