// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import Hummingbird
import ModelRepositoryAPI

/// Models and their versions.
struct ModelRoutes: Sendable {
  let repository: Repository
  let access: Access

  func add(to group: RouterGroup<WebContext>) {
    group.get("models") { _, context -> Response in
      let token = try access.reader(context)
      let models = try await repository.models().filter { token?.isFor($0.name.text) ?? true }
      return try .json(ModelList(models: models))
    }
    group.get("models/:model/versions") { _, context -> Response in
      let model = try context.name("model")
      try access.requireReader(context, model: model)
      return try .json(VersionList(versions: try await repository.versions(of: model)))
    }
    group.get("models/:model/versions/:version") { _, context -> Response in
      let model = try context.name("model")
      try access.requireReader(context, model: model)
      return try .json(try await repository.version(context.name("version"), of: model))
    }
    group.post("models/:model/versions") { request, context in
      try await publish(request, context)
    }
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

extension WebContext {
  /// A name in the request's path.
  ///
  /// - Throws: ``Problem`` for what no name may be.
  func name(_ parameter: String) throws -> RepositoryName {
    let text = parameters.get(parameter) ?? ""
    guard let name = RepositoryName(text.removingPercentEncoding ?? text) else {
      throw Problem.badRequest(
        "The \(parameter) has no name of 1 to 100 letters, digits, '.', '_' or '-', the first a "
          + "letter or digit.", code: "invalid_name")
    }
    return name
  }
}

extension Request {
  /// Whether the query has a name, as in `?force` and `?force=true`.
  func hasFlag(_ name: Substring) -> Bool {
    guard let value = uri.queryParameters[name] else { return uri.queryParameters.has(name) }
    return !["0", "false"].contains(value)
  }

  /// A time of the query.
  ///
  /// - Throws: ``Problem`` for what is none.
  func time(_ name: Substring) throws -> Date? {
    guard let text = uri.queryParameters[name] else { return nil }
    guard let time = try? Date(String(text), strategy: .iso8601) else {
      throw Problem.badRequest(
        "'\(name)' is a time in UTC, as in 2026-11-23T09:00:00Z.", code: "invalid_parameter")
    }
    return time
  }

  /// A number of the query.
  ///
  /// - Throws: ``Problem`` for what is none.
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
