// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ModelRepositoryAPI

/// The description of a route, for people and for client generators.
struct OpenAPIOperation: Sendable {
  /// The clients that may call a route.
  enum Caller: Sendable {
    /// Everybody.
    case anyone
    /// Everybody, or clients with a token, depending on the server's settings.
    case reader
    /// Clients that have a token with this scope.
    case bearer(TokenScope)
  }

  /// A response.
  struct Answer: Sendable {
    var status: Int
    var description: String
    /// The name of a schema; nil for no body.
    var schema: String?
    /// The body's type, if it isn't JSON.
    var type = "application/json"
  }

  /// A query parameter or a header field.
  struct Parameter: Sendable {
    var name: String
    var place: String
    var description: String
    var isNeeded = false
    var schema: OpenAPIValue = ["type": "string"]
  }

  let method: String
  let path: String
  let summary: String
  let caller: Caller
  var parameters: [Parameter] = []
  /// The name of the body's schema.
  var body: String?
  /// The body's type, if it isn't JSON.
  var bodyType = "application/json"
  let answers: [Answer]
  /// The statuses and codes of error responses.
  var problems: [(status: Int, codes: String)] = []

  /// The operation as it appears in the document.
  var value: OpenAPIValue {
    var members: [String: OpenAPIValue] = [
      "summary": .text(summary), "operationId": .text(identifier), "tags": [.text(tag)],
      "security": security, "responses": responses,
    ]
    let places = path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
      ["$ref": .text("#/components/parameters/" + $0.dropFirst().dropLast())] as OpenAPIValue
    }
    let others = parameters.map { parameter -> OpenAPIValue in
      [
        "name": .text(parameter.name), "in": .text(parameter.place),
        "description": .text(parameter.description), "required": .flag(parameter.isNeeded),
        "schema": parameter.schema,
      ]
    }
    if !places.isEmpty || !others.isEmpty { members["parameters"] = .list(places + others) }
    if body != nil || bodyType != "application/json" {
      members["requestBody"] = ["required": true, "content": Self.content(body, bodyType)]
    }
    return .object(members)
  }

  private var tag: String {
    let parts = path.split(separator: "/")
    guard parts.first == "v1", parts.count > 1 else { return "operation" }
    return parts.count > 3 && parts[1] == "models" ? String(parts[3]) : String(parts[1])
  }

  private var identifier: String {
    let words = path.split(separator: "/").filter { $0 != "v1" }.map { part in
      part.hasPrefix("{") ? "one" : String(part.prefix { $0 != "." })
    }
    return ([method] + words).joined(separator: "_")
  }

  private var security: OpenAPIValue {
    switch caller {
    case .anyone: []
    case .reader: [[:], ["token": ["read"]]]
    case .bearer(let scope): [["token": [.text(scope.rawValue)]]]
    }
  }

  private var responses: OpenAPIValue {
    var members: [String: OpenAPIValue] = [
      "default": ["$ref": "#/components/responses/Problem"]
    ]
    for answer in answers {
      var response: [String: OpenAPIValue] = ["description": .text(answer.description)]
      if answer.schema != nil || answer.type != "application/json" {
        response["content"] = Self.content(answer.schema, answer.type)
      }
      members["\(answer.status)"] = .object(response)
    }
    for problem in problems {
      members["\(problem.status)"] = [
        "description": .text(problem.codes),
        "content": Self.content("ProblemDetails", ProblemDetails.contentType),
      ]
    }
    return .object(members)
  }

  private static func content(_ schema: String?, _ type: String) -> OpenAPIValue {
    guard let schema else { return .object([type: [:]]) }
    return .object([type: ["schema": ["$ref": .text("#/components/schemas/" + schema)]]])
  }
}
#endif
