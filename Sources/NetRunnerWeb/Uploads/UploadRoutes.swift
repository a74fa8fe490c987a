// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Hummingbird

/// Routes that receive the files to evaluate.
struct UploadRoutes: Sendable {
  let uploads: UploadStore

  func add(to group: RouterGroup<WebContext>) {
    group.post("uploads") { _, _ in try await create() }
    group.put("uploads/:id/**") { request, context in
      try await receive(request, context)
    }
    group.delete("uploads/:id") { _, context in
      try uploads.delete(context.parameters.require("id"))
      return Response(status: .noContent)
    }
  }

  private func create() async throws -> Response {
    let id = try await uploads.disk.run { try uploads.create() }
    let upload: JSONObject = ["id": id, "files": 0, "bytes": 0]
    return try .json(["upload": upload], status: .created)
  }

  private func receive(_ request: Request, _ context: WebContext) async throws -> Response {
    let path = try RelativePath(percentEncoded: context.parameters.getCatchAll())
    try await uploads.receive(path, for: context.parameters.require("id"), from: request)
    return Response(status: .noContent)
  }
}
#endif
