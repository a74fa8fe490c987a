// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import Hummingbird
import TensorIO
import WebServing

/// Routes for information about the server, and for the sample images that come with it.
struct ServerRoutes: Sendable {
  let options: NetRunnerOptions
  let repository: RepositorySource?
  let samples: String
  /// The path of the API's own description.
  let document: String

  func add(to group: RouterGroup<WebContext>) {
    group.get("server") { _, _ in server }
    group.get("openapi.json") { _, _ in
      Response.data(try FileSystem.read(document), type: "application/json")
    }
    group.get("samples") { _, _ in try list() }
    group.get("samples/:name") { _, context in try sample(context.parameters.require("name")) }
  }

  private var server: JSONObject {
    [
      "name": "Net Runner", "version": options.version, "threads": options.threads,
      "processors": ProcessInfo.processInfo.activeProcessorCount,
      "imports_from_private_addresses": options.allowsPrivateImports,
      "folders": options.folders.map { ["name": FileSystem.name(of: $0)] },
      "maximum_picture_bytes": InferenceRunner.maximumImageBytes,
      "maximum_bundle_bytes": options.maximumBundleBytes, "repository": repository?.json,
      "makes_bundles": options.makeBundle != nil, "problem": options.libraryProblem(),
    ]
  }

  private var names: [String] {
    get throws { try FileSystem.contents(of: samples).filter { $0.hasSuffix(".png") }.sorted() }
  }

  private func list() throws -> JSONObject {
    ["samples": try names.map { ["name": $0, "url": "/api/v1/samples/" + $0] }]
  }

  private func sample(_ name: String) throws -> Response {
    guard try names.contains(name) else {
      throw WebError(
        status: .notFound, code: "sample_not_found",
        message: "There is no sample '\(name.prefix(100))'.")
    }
    return .data(
      try FileSystem.read(samples + "/" + name), type: "image/png",
      headers: [.cacheControl: "max-age=3600"])
  }
}
#endif
