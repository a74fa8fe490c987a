// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Hummingbird
import ModelRepositoryAPI

/// The routes for administrators.
struct AdministrationRoutes: Sendable {
  let repository: Repository
  let uploads: UploadStore
  let access: Access

  func add(to group: RouterGroup<WebContext>) {
    group.get("tokens") { _, context -> Response in
      try access.requireAdmin(context)
      return try .json(TokenList(tokens: try await repository.tokens()), headers: Self.secret)
    }
    group.post("tokens") { request, context -> Response in
      let token = try access.requireAdmin(context)
      let wanted = try await request.json(
        TokenRequest.self, pace: MinimumRateCheck(repository.options))
      return try .json(
        try await repository.makeToken(wanted, by: token.id), status: .created,
        headers: Self.secret)
    }
    group.delete("tokens/:token") { _, context -> Response in
      let token = try access.requireAdmin(context)
      guard
        try await repository.revokeToken(context.parameters.get("token") ?? "", by: token.id)
      else { throw Problem.notFound("token_not_found", "This token doesn't exist.") }
      return Response(status: .noContent)
    }
    group.get("audit") { request, context -> Response in
      try access.requireAdmin(context)
      return try .json(
        try await repository.auditLog(
          before: request.number("before", in: 1...Int.max), since: request.time("since"),
          limit: request.number("limit", in: 1...1000) ?? 100), headers: Self.secret)
    }
    group.post("gc") { _, context -> Response in
      let token = try access.requireAdmin(context)
      return try .json(try await repository.collectGarbage(uploads, by: token.id))
    }
  }

  private static let secret: HTTPFields = [.cacheControl: "no-store"]
}
#endif
