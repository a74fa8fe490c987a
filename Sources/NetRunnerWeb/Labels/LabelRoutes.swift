// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import Hummingbird
import NetRunner
import TensorIO
import TensorIOImageCodecs

/// Routes for the labels that people give to photos, separately for each model.
struct LabelRoutes: Sendable {
  let catalogue: ModelCatalogue
  let folders: LabelFolders
  let uploads: UploadStore
  let queue: WorkQueue
  let bodies: BodyReader

  func add(to group: RouterGroup<WebContext>) {
    group.get("models/:id/labels") { _, context in try await list(context.modelID()) }
    group.get("models/:id/labels/export") { request, context in
      try await export(context.modelID(), Query(request))
    }
    group.post("models/:id/labels/export") { request, context in
      try await makeUpload(context.modelID(), Query(request))
    }
    group.put("models/:id/labels/:photo") { request, context in
      try await set(context.modelID(), context.photo(), request)
    }
    group.delete("models/:id/labels/:photo") { _, context in
      try await remove(context.modelID(), context.photo())
    }
    addShapes(to: group)
  }

  private func list(_ id: String) async throws -> JSONObject {
    _ = try catalogue.model(id)
    let (labels, annotated) = try await queue.run { () throws -> ([JSONObject], [JSONObject]) in
      guard let folder = try folders.existingFolder(for: id) else { return ([], []) }
      let labels = try folder.labels.map { photo in
        var json = Self.json(photo.path, photo.label)
        json.set("bytes", folder.byteCount(of: photo.path))
        return json
      }
      let annotated = folder.annotated.map { photo, count in
        var json: JSONObject = ["photo": photo, "shapes": count]
        json.set("bytes", folder.byteCount(of: photo))
        return json
      }
      return (labels, annotated)
    }
    return ["count": labels.count, "labels": labels, "annotated": annotated]
  }

  private func set(_ id: String, _ photo: String, _ request: Request) async throws -> JSONObject {
    let label = try Self.label(Query(request), for: catalogue.model(id))
    try await withImage(of: request, named: photo) { bytes in
      try folders.folder(for: id).set(label, of: photo, bytes)
    }
    return Self.json(photo, label)
  }

  /// Passes the image of a request on, whose body must start as an image does.
  func withImage(
    of request: Request, named photo: String, _ action: @escaping @Sendable ([UInt8]) throws -> Void
  ) async throws {
    try await bodies.withBody(
      of: request, limit: InferenceRunner.maximumImageBytes, as: "The image"
    ) { image in
      try await queue.run {
        let bytes = Array(image.readableBytesView)
        try InferenceRunner.decoder.checkHeader(of: bytes, named: "'\(photo)'")
        try action(bytes)
      }
    }
  }

  private func remove(_ id: String, _ photo: String) async throws -> Response {
    _ = try catalogue.model(id)
    let wasThere = try await queue.run {
      try folders.existingFolder(for: id)?.remove(photo) ?? false
    }
    guard wasThere else {
      throw WebError(
        status: .notFound, code: "label_not_found",
        message: "No photo '\(photo.prefix(200))' is labelled for the model '\(id.prefix(100))'.")
    }
    return Response(status: .noContent)
  }

  private func export(_ id: String, _ query: Query) async throws -> Response {
    let model = try catalogue.model(id)
    let format: LabelExportFormat = try query.choice("format") ?? .testBundle
    let name = id.downloadName
    let download = try await queue.run { () throws -> FileDownload in
      let labels = try contents(id, format)
      let folder = try folders.scratch.folder()
      defer { folders.scratch.remove(folder) }
      return try FileDownload(
        labels.export(format, into: folder, named: name, labels: model.labels))
    }
    let ending =
      switch format {
      case .zip: "-labels.zip"
      case .testBundle: ".testbundle.zip"
      case .coco: "-coco.zip"
      }
    return download.response(type: "application/zip", name: name + ending, on: queue)
  }

  /// Makes an upload of what people labelled, so that it can be evaluated.
  private func makeUpload(_ id: String, _ query: Query) async throws -> Response {
    let model = try catalogue.model(id)
    let format: LabelExportFormat = try query.choice("format") ?? .testBundle
    guard format != .zip else {
      throw WebError.badRequest("'format' must be testbundle or coco to evaluate the images.")
    }
    let name = id.downloadName
    let upload = try await queue.run { () throws -> JSONObject in
      let labels = try contents(id, format)
      let (bytes, limits) = (try labels.byteCount, UploadLimits())
      guard bytes <= limits.uploadBytes else {
        throw WebError(
          status: .contentTooLarge, code: "upload_too_large",
          message: "The labelled images have \(ByteCount(bytes)), but the server evaluates at most "
            + "\(ByteCount(limits.uploadBytes)). Export them and use 'tensorio evaluate'.")
      }
      let upload = try uploads.create()
      do {
        let folder = try uploads.use(upload).upload.filesFolder
        _ = try labels.write(format, into: folder, named: name, labels: model.labels)
        let files = FileManager.default.subpaths(atPath: folder) ?? []
        return ["id": upload, "files": files.count, "bytes": bytes]
      } catch {
        try uploads.delete(upload)
        throw error
      }
    }
    return try .json(["upload": upload], status: .created)
  }

  /// Returns a model's folder if it has something to export in a format.
  private func contents(_ id: String, _ format: LabelExportFormat) throws -> LabelFolder {
    guard let folder = try folders.existingFolder(for: id), try folder.hasContent(for: format)
    else {
      throw WebError(
        status: .notFound, code: "no_labels",
        message: format == .coco
          ? "No image has boxes or polygons for the model '\(id.prefix(100))' yet. Draw one first."
          : "No photo is labelled for the model '\(id.prefix(100))' yet. Label one first.")
    }
    return folder
  }

  private static func label(_ query: Query, for model: ServedModel) throws -> PhotoLabel {
    let number = try query.number("value")
    switch (query.text("label"), number) {
    case (let text?, nil):
      let names = model.labels
      // Forms encode spaces as plus signs.
      let spaced = text.replacing("+", with: " ")
      if names.isEmpty || names.contains(text) { return .text(text) }
      if names.contains(spaced) { return .text(spaced) }
      throw WebError.unknownLabel(text, of: model)
    case (nil, let number?): return .numbers([number])
    default:
      throw WebError.badRequest("Label the photo with either 'label=TEXT' or 'value=NUMBER'.")
    }
  }

  private static func json(_ photo: String, _ label: PhotoLabel) -> JSONObject {
    switch label {
    case .text(let text): ["photo": photo, "label": text]
    case .numbers(let numbers) where numbers.count == 1: ["photo": photo, "label": numbers[0]]
    case .numbers(let numbers): ["photo": photo, "label": numbers]
    }
  }
}

extension WebContext {
  func photo() throws -> String {
    try RelativePath(percentEncoded: [parameters.get("photo").map { $0[...] } ?? ""]).name
  }
}

extension WebError {
  static func unknownLabel(_ text: String, of model: ServedModel) -> WebError {
    let names = model.labels
    return WebError(
      status: .unprocessableContent, code: "unknown_label",
      message: "'\(text.prefix(100))' isn't a label of '\(model.bundle.manifest.name)'. "
        + "Its labels are "
        + names.prefix(5).map { "'\($0)'" }.joined(separator: ", ")
        + (names.count > 5 ? " and \(names.count - 5) more." : "."),
      endsConnection: true)
  }
}
#endif
