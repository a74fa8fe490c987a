// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ModelRepositoryAPI

/// The description of the API in OpenAPI 3.1; a test compares it with the routes.
enum OpenAPIDocument {
  /// Creates the document.
  ///
  /// - Parameter version: The program's version.
  /// - Returns: The value to send as JSON.
  static func document(version: String) -> OpenAPIValue {
    var paths: [String: [String: OpenAPIValue]] = [:]
    for operation in operations {
      paths[operation.path, default: [:]][operation.method] = operation.value
    }
    return [
      "openapi": "3.1.0",
      "info": [
        "title": "TensorIO model repository", "version": .text(version),
        "summary": "Stores models, and tells each installation which version to use.",
        "license": ["name": "Apache License 2.0", "identifier": "Apache-2.0"],
      ],
      "paths": .object(paths.mapValues { .object($0) }),
      "components": [
        "securitySchemes": [
          "token": [
            "type": "http", "scheme": "bearer",
            "description":
              "401 if the token is missing or invalid, 403 if it is for something else.",
          ]
        ],
        "parameters": parameters,
        "responses": [
          "Problem": [
            "description": "An error. Its code is stable.",
            "content": .object([
              ProblemDetails.contentType: [
                "schema": ["$ref": "#/components/schemas/ProblemDetails"]
              ]
            ]),
          ]
        ],
        "schemas": .object(schemas),
      ],
    ]
  }

  private static var parameters: OpenAPIValue {
    func path(_ name: String, _ schema: OpenAPIValue) -> OpenAPIValue {
      ["name": .text(name), "in": "path", "required": true, "schema": schema]
    }
    let name: OpenAPIValue = ["$ref": "#/components/schemas/Name"]
    return [
      "model": path("model", name), "version": path("version", name),
      "channel": path("channel", name),
      "digest": path("digest", ["$ref": "#/components/schemas/Digest"]),
      "upload": path("upload", ["type": "string"]), "token": path("token", ["type": "string"]),
    ]
  }

  static let operations =
    operationOperations + uploadOperations + blobOperations
    + modelOperations + channelOperations + administrationOperations
}
#endif
