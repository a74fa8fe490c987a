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
    let isZip = type.hasPrefix("application/zip") || type.hasPrefix("application/x-zip")
    guard isZip || (type.hasPrefix("application/octet-stream") && imports.makesBundles) else {
      throw WebError(
        status: .unsupportedMediaType, code: "not_a_zip",
        message: "The body must be a zip file, with 'Content-Type: application/zip'"
          + (imports.makesBundles
            ? ", or a .tflite file, with 'Content-Type: application/octet-stream'." : "."),
        endsConnection: true)
    }
    let query = Query(request)
    let replaces = try query.bool("replace") ?? false
    let name = isZip ? "" : try Self.modelName(query)
    let path = imports.temporaryFile(isZip ? "zip" : "tflite")
    defer { try? FileSystem.remove(path) }
    try await bodies.write(
      request, to: path, limit: imports.maximumBytes, as: isZip ? "The archive" : "The model")
    do {
      if isZip {
        let model = try await imports.add(path, replaces: replaces)
        return try .json(["model": model.json], status: .created)
      }
      let (model, checks) = try await imports.addModel(path, named: name, replaces: replaces)
      let answer: JSONObject = ["model": model.json, "checks": checks]
      return try .json(answer, status: .created)
    } catch let error as ImportError {
      throw WebError(error)
    }
  }

  /// The name of a model's bundle, from the name of its file.
  private static func modelName(_ query: Query) throws -> String {
    guard let file = query.text("name"), file.lowercased().hasSuffix(".tflite") else {
      throw WebError.badRequest("A model's file needs 'name' in the query, such as 'pets.tflite'.")
    }
    let name = file.dropLast(".tflite".count).unicodeScalars.prefix(80).map { scalar in
      let isPlain = scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
      return scalar.isASCII && (isPlain || "-_.".unicodeScalars.contains(scalar))
        ? Character(scalar) : "-"
    }
    let trimmed = name.drop { $0 == "." || $0 == "-" }
    return trimmed.isEmpty ? "model" : String(trimmed)
  }
}
#endif
