// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Hummingbird
import ModelRepositoryAPI
import NetRunner
import TensorIO

struct ImportRoutes: Sendable {
  let imports: ModelImports
  let bodies: BodyReader

  func add(to group: RouterGroup<WebContext>) {
    group.post("models") { request, _ in try await upload(request) }
    group.post("imports") { request, _ in try await start(request) }
    group.get("imports") { _, _ -> JSONObject in ["imports": imports.all.map(\.json)] }
    group.get("imports/:id") { _, context -> JSONObject in
      ["import": try imports.job(context.parameters.require("id")).json]
    }
    group.delete("imports/:id") { _, context in
      try imports.job(context.parameters.require("id")).cancel()
      return Response(status: .noContent)
    }
  }

  private func start(_ request: Request) async throws -> Response {
    let members = try await JSONObjectReader(bodies.json(of: request), "The body")
    let url = try members.text("url")
    let model = try members.text("repository_model")
    let replaces = try members.bool("replace") ?? false
    let source: ImportJob.Source
    switch (url, model) {
    case (let url?, nil):
      guard url.utf8.count <= 2000 else {
        throw WebError.badRequest("'url' can have at most 2,000 bytes.")
      }
      source = .address(url)
    case (nil, let model?):
      guard let name = RepositoryName(model) else {
        throw WebError.badRequest(
          "'repository_model' must be a name of 1 to 100 letters, digits, '.', '_' and '-'.")
      }
      source = .repository(name)
    default:
      throw WebError.badRequest("The body needs either 'url' or 'repository_model', but not both.")
    }
    let job = try imports.start(source, replaces: replaces)
    return try .json(["import": job.json], status: .accepted)
  }

  private func upload(_ request: Request) async throws -> Response {
    let type = request.headers[.contentType]?.lowercased() ?? ""
    guard type.hasPrefix("application/zip") || type.hasPrefix("application/x-zip") else {
      throw WebError(
        status: .unsupportedMediaType, code: "not_a_zip",
        message: "The body must be a zip file, with 'Content-Type: application/zip'.",
        endsConnection: true)
    }
    let replaces = try Query(request).bool("replace") ?? false
    let path = imports.temporaryFile
    defer { try? FileSystem.remove(path) }
    try await bodies.write(request, to: path, limit: imports.maximumBytes, as: "The archive")
    do {
      let model = try await imports.add(path, replaces: replaces)
      return try .json(["model": model.json], status: .created)
    } catch let error as ImportError {
      throw WebError(error)
    }
  }
}
#endif
