// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Hummingbird
import ModelRepositoryAPI
import WebServing

/// The routes for channels, which decide which installations get which version.
extension ModelRoutes {
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
      ChannelContent.self, limit: ChannelDocument.maximumBytes,
      pace: MinimumRateCheck(repository.options))
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
#endif
