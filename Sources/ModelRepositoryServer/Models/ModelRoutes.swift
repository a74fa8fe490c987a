// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import Hummingbird
import ModelRepositoryAPI

/// The routes for models and their versions.
struct ModelRoutes: Sendable {
  let repository: Repository
  let access: Access

  func add(to group: RouterGroup<WebContext>) {
    addChannels(to: group)
    group.get("models") { _, context -> Response in
      let token = try access.reader(context)
      let models = try await repository.models().filter { token?.isFor($0.name.text) ?? true }
      return try .json(ModelList(models: models))
    }
    group.get("models/:model/versions") { _, context -> Response in
      let model = try access.readableModel(context)
      return try .json(VersionList(versions: try await repository.versions(of: model)))
    }
    group.get("models/:model/versions/:version") { _, context -> Response in
      let model = try access.readableModel(context)
      return try .json(try await repository.version(context.name("version"), of: model))
    }
    group.post("models/:model/versions", use: publish)
    group.post("models/:model/versions/:version/withdraw") { request, context -> Response in
      let model = try context.name("model")
      let token = try access.require(.publish, context, model: model)
      return try .json(
        try await repository.withdraw(
          context.name("version"), of: model, isForced: request.hasFlag("force"), by: token.id))
    }
  }

  private func publish(_ request: Request, _ context: WebContext) async throws -> Response {
    let model = try context.name("model")
    let token = try access.require(.publish, context, model: model)
    let publication = try await request.json(
      VersionPublication.self, pace: MinimumRateCheck(repository.options))
    let (record, isNew) = try await repository.publish(
      publication.manifest, of: model, by: token.id)
    return try .json(
      record, status: isNew ? .created : .ok,
      headers: [.location: "/v1/models/\(model)/versions/\(record.version)"])
  }
}

extension Access {
  /// Returns the model in the request's path, which the request has to be allowed to read.
  func readableModel(_ context: WebContext) throws -> RepositoryName {
    let model = try context.name("model")
    try requireReader(context, model: model)
    return model
  }
}

extension WebContext {
  func name(_ parameter: String) throws -> RepositoryName {
    let text = parameters.get(parameter) ?? ""
    guard let name = RepositoryName(text.removingPercentEncoding ?? text) else {
      throw Problem.badRequest(
        "The name of the \(parameter) must have 1 to 100 letters, digits, '.', '_' or '-', and "
          + "begin with a letter or a digit.", code: "invalid_name")
    }
    return name
  }
}

extension Request {
  /// Whether the query contains a flag, for example `?force` or `?force=true`.
  func hasFlag(_ name: Substring) -> Bool {
    guard let value = uri.queryParameters[name] else { return uri.queryParameters.has(name) }
    return !["0", "false"].contains(value)
  }

  /// Returns a time in the query; nil if it is missing.
  func time(_ name: Substring) throws -> Date? {
    guard let text = uri.queryParameters[name] else { return nil }
    guard let time = try? Date(String(text), strategy: .iso8601) else {
      throw Problem.badRequest(
        "'\(name)' must be a time in UTC, for example 2026-11-23T09:00:00Z.",
        code: "invalid_parameter")
    }
    return time
  }

  /// Returns a number in the query; nil if it is missing.
  func number(_ name: Substring, in range: ClosedRange<Int>) throws -> Int? {
    guard let text = uri.queryParameters[name] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw Problem.badRequest(
        "'\(name)' must be a number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }
}
#endif
