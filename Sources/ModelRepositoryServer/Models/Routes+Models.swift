// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import Hummingbird
import ModelRepositoryAPI
import WebServing

/// The routes for models and their versions.
extension Routes {
  func addModels(to group: RouterGroup<WebContext>) {
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
    let publication = try await request.json(VersionPublication.self, repository.options)
    let (record, isNew) = try await repository.publish(
      publication.manifest, of: model, by: token.id)
    return try .json(
      record, status: isNew ? .created : .ok,
      headers: [.location: "/v1/models/\(model)/versions/\(record.version)"])
  }
}

/// The routes for channels, which decide which installations get which version.
extension Routes {
  func addChannels(to group: RouterGroup<WebContext>) {
    group.get("models/:model/channels") { _, context -> Response in
      let model = try access.readableModel(context)
      return try .json(ChannelList(channels: try await repository.channels(of: model)))
    }
    group.get("models/:model/channels/:channel", use: document)
    group.put("models/:model/channels/:channel", use: set)
    group.get("models/:model/channels/:channel/history", use: history)
    group.post("models/:model/channels/:channel/rollback", use: rollBack)
  }

  private func document(_ request: Request, _ context: WebContext) async throws -> Response {
    let (channel, model) = try (context.name("channel"), access.readableModel(context))
    let state = try await repository.channel(channel, of: model)
    if let field = request.headers[.ifNoneMatch], EntityTag.isNamed(state.tag, in: field) {
      return .notModified(headers(state))
    }
    return answer(state)
  }

  private func set(_ request: Request, _ context: WebContext) async throws -> Response {
    let (model, channel) = try (context.name("model"), context.name("channel"))
    let token = try access.require(.rollout, context, model: model)
    let precondition = try Self.precondition(request)
    let content = try await request.json(
      ChannelContent.self, limit: ChannelDocument.maximumBytes, repository.options)
    let (state, isNew) = try await repository.setChannel(
      channel, of: model, to: content, precondition, by: token.id)
    return answer(state, status: isNew ? .created : .ok)
  }

  private func rollBack(_ request: Request, _ context: WebContext) async throws -> Response {
    let (model, channel) = try (context.name("model"), context.name("channel"))
    let token = try access.require(.rollout, context, model: model)
    guard case .matches(let tags) = try Self.precondition(request) else {
      throw Self.preconditionNeeded
    }
    let number = try request.number("document_version", in: 1...Int.max - 1)
    return answer(
      try await repository.rollBack(channel, of: model, to: number, .matches(tags), by: token.id))
  }

  private func history(_ request: Request, _ context: WebContext) async throws -> Response {
    let (channel, model) = try (context.name("channel"), access.readableModel(context))
    return try .json(
      try await repository.history(
        of: channel, of: model, before: request.number("before", in: 1...Int.max),
        limit: request.number("limit", in: 1...1000) ?? 100))
  }

  private func answer(_ state: ChannelState, status: HTTPResponse.Status = .ok) -> Response {
    .data(state.signed, type: "application/json", status: status, headers: headers(state))
  }

  private func headers(_ state: ChannelState) -> HTTPFields {
    // Clients have to ask each time, because a rollback must reach everybody at once.
    [.eTag: state.tag, .cacheControl: access.isPublic ? "no-cache" : "private, no-cache"]
  }

  private static func precondition(_ request: Request) throws -> ChannelPrecondition {
    if let tags = request.headers[.ifMatch] { return .matches(tags) }
    guard request.headers[.ifNoneMatch] == "*" else { throw preconditionNeeded }
    return .isNew
  }

  private static var preconditionNeeded: Problem {
    Problem(
      .preconditionRequired, "precondition_required",
      "Send the channel's ETag in 'If-Match', or send 'If-None-Match: *' to create a new channel.")
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
      throw Problem(
        .badRequest, "invalid_name",
        "The name of the \(parameter) must have 1 to 100 letters, digits, '.', '_' or '-', and "
          + "begin with a letter or a digit.")
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
      throw Problem(
        .badRequest, "invalid_parameter",
        "'\(name)' must be a time in UTC, for example 2026-11-23T09:00:00Z.")
    }
    return time
  }

  /// Returns a number in the query; nil if it is missing.
  func number(_ name: Substring, in range: ClosedRange<Int>) throws -> Int? {
    guard let text = uri.queryParameters[name] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw Problem(
        .badRequest, "bad_request",
        "'\(name)' must be a number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }
}
#endif
