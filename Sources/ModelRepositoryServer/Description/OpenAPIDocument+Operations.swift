// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import ModelRepositoryAPI

extension OpenAPIDocument {
  private typealias Operation = OpenAPIOperation
  private typealias Answer = OpenAPIOperation.Answer
  private typealias Parameter = OpenAPIOperation.Parameter

  static let operationOperations: [OpenAPIOperation] = [
    Operation(
      method: "get", path: "/healthz", summary: "Whether the server lives.", caller: .anyone,
      answers: [Answer(status: 200, description: "It does.", type: "text/plain")]),
    Operation(
      method: "get", path: "/readyz",
      summary: "Whether the database and the disk can be written, and have room.",
      caller: .anyone,
      answers: [Answer(status: 200, description: "They can.", type: "text/plain")],
      problems: [(503, "not_ready")]),
    Operation(
      method: "get", path: "/metrics", summary: "Figures for Prometheus.", caller: .reader,
      answers: [Answer(status: 200, description: "The figures.", type: "text/plain")]),
    Operation(
      method: "get", path: "/v1/keys", summary: "The keys that documents are signed with.",
      caller: .anyone,
      answers: [Answer(status: 200, description: "The keys.", schema: "KeyList")]),
    Operation(
      method: "get", path: "/v1/root", summary: "The newest root document.", caller: .anyone,
      answers: [Answer(status: 200, description: "The document.", schema: "SignedDocument")],
      problems: [(404, "root_not_found")]),
    Operation(
      method: "get", path: "/v1/root/{version}", summary: "A root document.", caller: .anyone,
      answers: [Answer(status: 200, description: "The document.", schema: "SignedDocument")],
      problems: [(404, "root_not_found")]),
    Operation(
      method: "get", path: "/v1/openapi.json", summary: "This document.", caller: .anyone,
      answers: [Answer(status: 200, description: "OpenAPI 3.1.", type: "application/json")]),
  ]

  private static let digest = Parameter(
    name: "digest", place: "query", description: "The blob's digest.",
    schema: ["$ref": "#/components/schemas/Digest"])

  private static var neededDigest: Parameter {
    var parameter = digest
    parameter.isNeeded = true
    return parameter
  }

  static let uploadOperations: [OpenAPIOperation] = [
    Operation(
      method: "post", path: "/v1/uploads", summary: "Begins an upload.",
      caller: .bearer(.publish), parameters: [digest],
      answers: [
        Answer(status: 200, description: "The blob is there already.", schema: "BlobReference"),
        Answer(status: 201, description: "It began; see Location.", schema: "UploadState"),
      ], problems: [(400, "invalid_digest"), (429, "too_many_uploads"), (503, "store_unavailable")]),
    Operation(
      method: "get", path: "/v1/uploads/{upload}", summary: "How far an upload is.",
      caller: .bearer(.publish),
      answers: [Answer(status: 200, description: "The state.", schema: "UploadState")],
      problems: [(404, "upload_not_found")]),
    Operation(
      method: "head", path: "/v1/uploads/{upload}",
      summary: "How far an upload is, in Range and Upload-Offset.", caller: .bearer(.publish),
      answers: [Answer(status: 200, description: "The state.")]),
    Operation(
      method: "patch", path: "/v1/uploads/{upload}", summary: "Sends the next bytes.",
      caller: .bearer(.publish),
      parameters: [
        Parameter(
          name: "Content-Range", place: "header", description: "bytes FIRST-LAST/*",
          isNeeded: true)
      ], bodyType: "application/octet-stream",
      answers: [Answer(status: 202, description: "They are there.", schema: "UploadState")],
      problems: [
        (400, "invalid_content_range, wrong_length"), (404, "upload_not_found"),
        (408, "body_too_slow"), (409, "upload_busy"), (413, "blob_too_large"),
        (416, "wrong_offset; the right one is in Range and Upload-Offset"),
        (507, "quota_exceeded, not_stored"),
      ]),
    Operation(
      method: "put", path: "/v1/uploads/{upload}", summary: "Makes an upload a blob.",
      caller: .bearer(.publish), parameters: [neededDigest],
      answers: [
        Answer(status: 201, description: "It is on the disk.", schema: "BlobReference")
      ],
      problems: [
        (400, "invalid_digest, unexpected_body"), (404, "upload_not_found"), (409, "upload_busy"),
        (422, "digest_mismatch"), (503, "store_unavailable; the upload stays"),
        (507, "not_stored"),
      ]),
    Operation(
      method: "delete", path: "/v1/uploads/{upload}", summary: "Gives an upload up.",
      caller: .bearer(.publish), answers: [Answer(status: 204, description: "It is gone.")],
      problems: [(404, "upload_not_found"), (409, "upload_busy")]),
  ]

  private static let rangeParameters = [
    Parameter(name: "Range", place: "header", description: "One range of bytes."),
    Parameter(name: "If-Range", place: "header", description: "The ETag that a range is of."),
    Parameter(name: "If-None-Match", place: "header", description: "The ETags that are there."),
  ]

  static let blobOperations: [OpenAPIOperation] = [
    Operation(
      method: "get", path: "/v1/blobs/{digest}", summary: "A blob's bytes, or some of them.",
      caller: .reader, parameters: rangeParameters,
      answers: [
        Answer(status: 200, description: "All.", type: "application/octet-stream"),
        Answer(status: 206, description: "The range.", type: "application/octet-stream"),
        Answer(status: 304, description: "They are there already."),
      ],
      problems: [
        (400, "invalid_digest"), (404, "blob_not_found"), (416, "range_not_satisfiable"),
        (500, "blob_damaged"), (503, "store_unavailable"),
      ]),
    Operation(
      method: "head", path: "/v1/blobs/{digest}", summary: "Whether a blob is there.",
      caller: .reader, answers: [Answer(status: 200, description: "It is.")],
      problems: [(503, "store_unavailable")]),
  ]

  static let modelOperations: [OpenAPIOperation] = [
    Operation(
      method: "get", path: "/v1/models", summary: "The models.", caller: .reader,
      answers: [Answer(status: 200, description: "By name.", schema: "ModelList")]),
    Operation(
      method: "get", path: "/v1/models/{model}/versions", summary: "A model's versions.",
      caller: .reader,
      answers: [Answer(status: 200, description: "The newest first.", schema: "VersionList")],
      problems: [(404, "model_not_found")]),
    Operation(
      method: "get", path: "/v1/models/{model}/versions/{version}", summary: "A version.",
      caller: .reader,
      answers: [Answer(status: 200, description: "The version.", schema: "VersionRecord")],
      problems: [(404, "version_not_found")]),
    Operation(
      method: "post", path: "/v1/models/{model}/versions",
      summary: "Publishes a version, all of whose blobs are there.", caller: .bearer(.publish),
      body: "VersionPublication",
      answers: [
        Answer(status: 200, description: "It was there already.", schema: "VersionRecord"),
        Answer(status: 201, description: "It is published.", schema: "VersionRecord"),
      ],
      problems: [
        (409, "version_exists"), (422, "blob_missing, invalid_manifest, wrong_size"),
        (503, "store_unavailable"),
      ]),
    Operation(
      method: "post", path: "/v1/models/{model}/versions/{version}/withdraw",
      summary: "Takes care that no channel gives a version from now on.",
      caller: .bearer(.publish),
      parameters: [
        Parameter(
          name: "force", place: "query",
          description: "Also where channels give it; these go on until they are set.")
      ],
      answers: [Answer(status: 200, description: "It is withdrawn.", schema: "VersionRecord")],
      problems: [(404, "version_not_found"), (409, "version_in_use")]),
  ]

  private static let page = [
    Parameter(
      name: "before", place: "query", description: "Only those with lower numbers.",
      schema: ["type": "integer", "minimum": 1]),
    Parameter(
      name: "limit", place: "query", description: "How many at most; 100 where it is not said.",
      schema: ["type": "integer", "minimum": 1, "maximum": 1000]),
  ]

  private static let precondition = Parameter(
    name: "If-Match", place: "header", description: "The present ETag.")

  static let channelOperations: [OpenAPIOperation] = [
    Operation(
      method: "get", path: "/v1/models/{model}/channels", summary: "A model's channels.",
      caller: .reader,
      answers: [Answer(status: 200, description: "By name.", schema: "ChannelList")],
      problems: [(404, "model_not_found")]),
    Operation(
      method: "get", path: "/v1/models/{model}/channels/{channel}",
      summary: "A channel's signed document.", caller: .reader,
      parameters: [rangeParameters[2]],
      answers: [
        Answer(status: 200, description: "With its ETag.", schema: "SignedDocument"),
        Answer(status: 304, description: "It is there already."),
      ], problems: [(404, "channel_not_found")]),
    Operation(
      method: "put", path: "/v1/models/{model}/channels/{channel}", summary: "Sets a channel.",
      caller: .bearer(.rollout),
      parameters: [
        precondition,
        Parameter(name: "If-None-Match", place: "header", description: "* for a new one."),
      ], body: "ChannelContent",
      answers: [
        Answer(status: 200, description: "It is set.", schema: "SignedDocument"),
        Answer(status: 201, description: "It is new.", schema: "SignedDocument"),
      ],
      problems: [
        (404, "model_not_found"), (409, "version_withdrawn"), (412, "precondition_failed"),
        (422, "unknown_version, invalid_document"), (428, "precondition_required"),
      ]),
    Operation(
      method: "get", path: "/v1/models/{model}/channels/{channel}/history",
      summary: "What a channel was.", caller: .reader, parameters: page,
      answers: [Answer(status: 200, description: "The newest first.", schema: "ChannelHistory")],
      problems: [(404, "channel_not_found")]),
    Operation(
      method: "post", path: "/v1/models/{model}/channels/{channel}/rollback",
      summary: "Makes a channel what it was before.", caller: .bearer(.rollout),
      parameters: [
        precondition,
        Parameter(
          name: "document_version", place: "query",
          description: "What to go back to; the last other content where it is not said.",
          schema: ["type": "integer", "minimum": 1]),
      ],
      answers: [Answer(status: 200, description: "It is set.", schema: "SignedDocument")],
      problems: [
        (404, "channel_not_found"), (409, "no_earlier_content, version_withdrawn"),
        (412, "precondition_failed"), (422, "invalid_document"), (428, "precondition_required"),
      ]),
  ]

  static let administrationOperations: [OpenAPIOperation] = [
    Operation(
      method: "get", path: "/v1/tokens", summary: "The tokens.", caller: .bearer(.admin),
      answers: [Answer(status: 200, description: "The oldest first.", schema: "TokenList")]),
    Operation(
      method: "post", path: "/v1/tokens", summary: "Makes a token.", caller: .bearer(.admin),
      body: "TokenRequest",
      answers: [
        Answer(status: 201, description: "The only time its secret is told.", schema: "NewToken")
      ], problems: [(422, "invalid_token_request")]),
    Operation(
      method: "delete", path: "/v1/tokens/{token}", summary: "Revokes a token.",
      caller: .bearer(.admin), answers: [Answer(status: 204, description: "It is revoked.")],
      problems: [(404, "token_not_found")]),
    Operation(
      method: "get", path: "/v1/audit", summary: "Who changed what and when.",
      caller: .bearer(.admin),
      parameters: page + [
        Parameter(
          name: "since", place: "query", description: "Only those from this time on.",
          schema: ["type": "string", "format": "date-time"])
      ], answers: [Answer(status: 200, description: "The newest first.", schema: "AuditLog")]),
    Operation(
      method: "post", path: "/v1/gc", summary: "Collects garbage.", caller: .bearer(.admin),
      answers: [Answer(status: 200, description: "What went.", schema: "CollectionReport")],
      problems: [(503, "store_unavailable")]),
  ]
}
#endif
