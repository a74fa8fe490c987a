// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ModelRepositoryAPI

extension OpenAPIDocument {
  /// The schemas of request and response bodies by type name; a test compares them with actual
  /// bodies.
  static let schemas: [String: OpenAPIValue] = [
    "Name": [
      "type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$",
      "description": "The name of a model, a version, a channel or an arm.",
    ],
    "Digest": ["type": "string", "pattern": "^sha256:[0-9a-f]{64}$"],
    "ProblemDetails": object(["status": integer, "code": string, "title": string]),
    "UploadState": object(["id": string, "offset": integer]),
    "BlobReference": object(["digest": digest, "size": integer]),
    "VersionManifest": object(
      [
        "version": name, "model": name, "format": ["enum": ["tiobundle", "tflite"]],
        "files": list(object(["path": string, "digest": digest, "size": integer])),
        "details": string,
      ], optional: ["details"]),
    "VersionPublication": object(["manifest": digest]),
    "VersionRecord": object([
      "version": name, "sequence": integer, "manifest": reference("BlobReference"),
      "size": integer, "published": time, "withdrawn": boolean,
    ]),
    "VersionList": object(["versions": list(reference("VersionRecord"))]),
    "ModelList": object(["models": list(object(["name": name, "versions": integer]))]),
    "ChannelContent": object(
      [
        "version": name,
        "experiment": object(
          [
            "salt": string,
            "arms": list(
              object(
                ["name": name, "threshold": integer, "version": name, "parameters": texts],
                optional: ["parameters"])),
            "paused": boolean,
          ], optional: ["paused"]),
        "parameters": texts, "minimum_safe_sequence": integer,
      ], optional: ["version", "experiment", "parameters", "minimum_safe_sequence"]),
    "SignedDocument": object([
      "document": [
        "type": "string", "contentEncoding": "base64",
        "description": "The bytes of a ChannelDocument, or of a root document, which are signed.",
      ],
      "signatures": list(
        object(["key_id": string, "signature": ["type": "string", "contentEncoding": "base64"]])),
    ]),
    "Release": object([
      "version": name, "sequence": integer, "manifest": reference("BlobReference"),
      "size": integer,
    ]),
    "ChannelDocument": object(
      [
        "model": name, "channel": name, "document_version": integer, "issued": time,
        "expires": time, "release": reference("Release"),
        "experiment": object([
          "salt": string,
          "arms": list(
            object([
              "name": name, "threshold": integer, "release": reference("Release"),
              "parameters": texts,
            ])),
          "paused": boolean,
        ]), "parameters": texts, "minimum_safe_sequence": integer, "root": integer,
      ], optional: ["release", "experiment", "root"]),
    "ChannelList": object([
      "channels": list(
        object(
          ["name": name, "document_version": integer, "version": name], optional: ["version"]))
    ]),
    "ChannelHistory": object([
      "revisions": list(
        object([
          "document_version": integer, "cause": ["enum": ["change", "rollback", "renewal"]],
          "issued": time, "expires": time, "content": reference("ChannelContent"),
        ]))
    ]),
    "KeyList": object(["keys": list(object(["id": string, "key": string]))]),
    "TokenRequest": object(
      ["name": string, "scopes": list(scope), "models": list(string), "expires": time],
      optional: ["models", "expires"]),
    "TokenRecord": object(
      [
        "id": string, "name": string, "scopes": list(scope), "models": list(string),
        "created": time, "expires": time, "revoked": time,
      ], optional: ["expires", "revoked"]),
    "NewToken": object(["token": reference("TokenRecord"), "secret": string]),
    "TokenList": object(["tokens": list(reference("TokenRecord"))]),
    "AuditLog": object([
      "records": list(
        object(
          [
            "id": integer, "time": time, "token": string, "action": string, "subject": string,
            "detail": string, "before": string, "after": string,
          ], optional: ["token", "detail", "before", "after"]))
    ]),
    "CollectionReport": object([
      "blobs": integer, "orphans": integer, "uploads": integer, "bytes": integer,
    ]),
  ]

  private static let string: OpenAPIValue = ["type": "string"]
  private static let integer: OpenAPIValue = ["type": "integer"]
  private static let boolean: OpenAPIValue = ["type": "boolean"]
  private static let time: OpenAPIValue = ["type": "string", "format": "date-time"]
  private static let name = reference("Name")
  private static let digest = reference("Digest")
  private static let texts: OpenAPIValue = [
    "type": "object", "additionalProperties": ["type": "string"],
  ]
  private static let scope: OpenAPIValue = [
    "enum": .list(TokenScope.allCases.map { .text($0.rawValue) })
  ]

  private static func reference(_ name: String) -> OpenAPIValue {
    ["$ref": .text("#/components/schemas/" + name)]
  }

  private static func list(_ element: OpenAPIValue) -> OpenAPIValue {
    ["type": "array", "items": element]
  }

  private static func object(
    _ properties: [String: OpenAPIValue], optional: Set<String> = []
  ) -> OpenAPIValue {
    [
      "type": "object", "properties": .object(properties),
      "required": .list(
        properties.keys.filter { !optional.contains($0) }.sorted().map { .text($0) }),
    ]
  }
}
#endif
