// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import Hummingbird
import ModelRepositoryAPI
import WebServing

/// The routes for federated rounds.
extension Routes {
  func addRounds(to group: RouterGroup<WebContext>) {
    group.get("models/:model/rounds") { _, context -> Response in
      try .json(try await rounds.rounds(of: access.readableModel(context)))
    }
    group.post("models/:model/rounds") { request, context -> Response in
      let model = try context.name("model")
      let token = try access.require(.publish, context, model: model)
      let wanted = try await request.json(
        RoundRequest.self, limit: RoundTask.maximumBytes, repository.options)
      let round = try await rounds.make(wanted, of: model, by: token.id)
      return .data(
        round.signed, type: "application/json", status: .created,
        headers: [.location: "/v1/models/\(model)/rounds/\(wanted.round)"])
    }
    group.get("models/:model/rounds/:round") { _, context -> Response in
      let model = try access.readableModel(context)
      let round = try await rounds.round(context.name("round"), of: model)
      return .data(round.signed, type: "application/json", headers: Self.uncached)
    }
    group.delete("models/:model/rounds/:round") { _, context -> Response in
      let (model, round) = try (context.name("model"), context.name("round"))
      let token = try access.require(.publish, context, model: model)
      try await rounds.delete(round, of: model, by: token.id)
      return Response(status: .noContent)
    }
    group.get("models/:model/rounds/:round/status") { _, context -> Response in
      let model = try context.name("model")
      try access.require(.publish, context, model: model)
      return try .json(
        try await rounds.status(of: context.name("round"), of: model), headers: Self.uncached)
    }
    group.post("models/:model/rounds/:round/end") { _, context -> Response in
      let (model, round) = try (context.name("model"), context.name("round"))
      let token = try access.require(.publish, context, model: model)
      try await rounds.endIfDue(round, of: model, isForced: true, by: token.id)
      return try .json(try await rounds.status(of: round, of: model), headers: Self.uncached)
    }
    group.get("models/:model/rounds/:round/average") { _, context -> Response in
      let model = try context.name("model")
      try access.require(.publish, context, model: model)
      return .data(
        try await rounds.average(of: context.name("round"), of: model),
        type: "application/octet-stream", headers: Self.uncached)
    }
    group.post("models/:model/rounds/:round/clients") { _, context -> Response in
      let model = try context.name("model")
      let token = try access.require(.train, context, model: model)
      return try .json(
        try await rounds.enrol(in: context.name("round"), of: model, by: token.id),
        status: .created, headers: Self.uncached)
    }
    group.put("models/:model/rounds/:round/clients/:client/update", use: receive)
  }

  private static let uncached: HTTPFields = [.cacheControl: "no-store"]

  private func receive(_ request: Request, _ context: WebContext) async throws -> Response {
    let (model, round) = try (context.name("model"), context.name("round"))
    let token = try access.require(.train, context, model: model)
    do {
      let secret = HTTPField.Name("Enrolment").flatMap { request.headers[$0] } ?? ""
      let receipt = try await rounds.receive(
        request.body, length: request.announcedLength, from: context.parameters.get("client") ?? "",
        secret: secret, token: token.id, in: round, of: model)
      return try .json(receipt, status: .created, headers: Self.uncached)
    } catch let problem as Problem where problem.code != "round_not_found" {
      rounds.noteRefusal(problem.code, round, of: model)
      throw problem
    }
  }
}
#endif
