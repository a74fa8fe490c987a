// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import HTTPTypes
import Hummingbird
import TensorIO

/// Routes that receive the files to evaluate.
struct UploadRoutes: Sendable {
  let uploads: UploadStore

  func add(to group: RouterGroup<WebContext>) {
    group.post("uploads") { _, _ in try await create() }
    group.put("uploads/:id/**") { request, context in
      try await receive(request, context)
    }
    group.delete("uploads/:id") { _, context in
      try uploads.delete(context.parameters.get("id") ?? "")
      return Response(status: .noContent)
    }
  }

  private func create() async throws -> Response {
    let id = try await uploads.disk.run { try uploads.create() }
    return try .json(
      .object([
        "upload": .object(["id": .string(id), "files": .count(0), "bytes": .count(0)])
      ]), status: .created)
  }

  private func receive(_ request: Request, _ context: WebContext) async throws -> Response {
    let path = try RelativePath(percentEncoded: context.parameters.getCatchAll())
    try await uploads.receive(path, for: context.parameters.get("id") ?? "", from: request)
    return Response(status: .noContent)
  }
}
#endif
