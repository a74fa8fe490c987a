// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Hummingbird
import TensorIO
import TensorIOImageCodecs
import WebServing

extension LabelRoutes {
  func addShapes(to group: RouterGroup<WebContext>) {
    group.put("models/:id/labels/:photo/picture") { request, context in
      try await keepPicture(context.modelID(), context.photo(), request)
    }
    group.get("models/:id/labels/:photo/picture") { _, context in
      try await picture(context.modelID(), context.photo())
    }
    group.get("models/:id/labels/:photo/shapes") { _, context in
      try await shapes(context.modelID(), context.photo())
    }
    group.put("models/:id/labels/:photo/shapes") { request, context in
      try await setShapes(context.modelID(), context.photo(), request)
    }
    group.delete("models/:id/labels/:photo/shapes") { _, context in
      try await removeShapes(context.modelID(), context.photo())
    }
  }

  private func keepPicture(
    _ id: String, _ photo: String, _ request: Request
  ) async throws -> Response {
    _ = try catalogue.model(id)
    try await withImage(of: request, named: photo) { bytes in
      try folders.folder(for: id).keep(bytes, as: photo)
    }
    return Response(status: .noContent)
  }

  private func picture(_ id: String, _ photo: String) async throws -> Response {
    _ = try catalogue.model(id)
    let image = try await queue.run { try folders.existingFolder(for: id)?.photo(photo) }
    guard let image else {
      throw WebError(
        status: .notFound, code: "picture_not_found",
        message: "No photo '\(photo.prefix(200))' is kept for the model '\(id.prefix(100))'.")
    }
    // The file's format isn't known here. Without a type, browsers don't show the response itself.
    return .data(image, type: "application/octet-stream")
  }

  private func shapes(_ id: String, _ photo: String) async throws -> Response {
    _ = try catalogue.model(id)
    let shapes = try await queue.run { try folders.existingFolder(for: id)?.shapes(of: photo) }
    guard let shapes else { throw Self.noShapes(photo, id) }
    return try .json(shapes)
  }

  private func setShapes(
    _ id: String, _ photo: String, _ request: Request
  ) async throws -> Response {
    let model = try catalogue.model(id)
    let document = try await bodies.json(of: request)
    let names = Set(model.labels)
    let shapes = try ImageShapes(document) { label in
      guard names.isEmpty || names.contains(label) else {
        throw WebError.unknownLabel(label, of: model)
      }
    }
    try await queue.run { try folders.folder(for: id).set(shapes, of: photo) }
    return try .json(shapes)
  }

  private func removeShapes(_ id: String, _ photo: String) async throws -> Response {
    _ = try catalogue.model(id)
    let wasThere = try await queue.run {
      try folders.existingFolder(for: id)?.removeShapes(photo) ?? false
    }
    guard wasThere else { throw Self.noShapes(photo, id) }
    return Response(status: .noContent)
  }

  private static func noShapes(_ photo: String, _ id: String) -> WebError {
    WebError(
      status: .notFound, code: "shapes_not_found",
      message: "The photo '\(photo.prefix(200))' has no shapes for the model '\(id.prefix(100))'.")
  }
}
#endif
