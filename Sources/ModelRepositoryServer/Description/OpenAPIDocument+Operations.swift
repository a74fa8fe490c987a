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
      method: "get", path: "/healthz", summary: "Reports whether the server is running.",
      caller: .anyone,
      answers: [Answer(status: 200, description: "The server is running.", type: "text/plain")]),
    Operation(
      method: "get", path: "/readyz",
      summary: "Reports whether the database and the disk are writable and have space.",
      caller: .anyone,
      answers: [Answer(status: 200, description: "The server is ready.", type: "text/plain")],
      problems: [(503, "not_ready")]),
    Operation(
      method: "get", path: "/metrics", summary: "Returns metrics for Prometheus.", caller: .reader,
      answers: [Answer(status: 200, description: "The metrics.", type: "text/plain")]),
    Operation(
      method: "get", path: "/v1/keys", summary: "Returns the keys that sign documents.",
      caller: .anyone,
      answers: [Answer(status: 200, description: "The keys.", schema: "KeyList")]),
    Operation(
      method: "get", path: "/v1/root", summary: "Returns the newest root document.",
      caller: .anyone,
      answers: [Answer(status: 200, description: "The document.", schema: "SignedDocument")],
      problems: [(404, "root_not_found")]),
    Operation(
      method: "get", path: "/v1/root/{version}", summary: "Returns a root document.",
      caller: .anyone,
      answers: [Answer(status: 200, description: "The document.", schema: "SignedDocument")],
      problems: [(404, "root_not_found")]),
    Operation(
      method: "get", path: "/v1/openapi.json", summary: "Returns this document.", caller: .anyone,
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
      method: "post", path: "/v1/uploads", summary: "Starts an upload.",
      caller: .bearer(.publish), parameters: [digest],
      answers: [
        Answer(
          status: 200, description: "The blob already exists.", schema: "BlobReference"),
        Answer(
          status: 201, description: "The upload was started; see Location.", schema: "UploadState"),
      ],
      problems: [(400, "invalid_digest"), (429, "too_many_uploads"), (503, "store_unavailable")]),
    Operation(
      method: "get", path: "/v1/uploads/{upload}",
      summary: "Returns how many bytes of an upload arrived.",
      caller: .bearer(.publish),
      answers: [Answer(status: 200, description: "The upload's state.", schema: "UploadState")],
      problems: [(404, "upload_not_found")]),
    Operation(
      method: "head", path: "/v1/uploads/{upload}",
      summary: "Returns how many bytes of an upload arrived, in Range and Upload-Offset.",
      caller: .bearer(.publish),
      answers: [Answer(status: 200, description: "The upload's state.")]),
    Operation(
      method: "patch", path: "/v1/uploads/{upload}", summary: "Sends the next bytes.",
      caller: .bearer(.publish),
      parameters: [
        Parameter(
          name: "Content-Range", place: "header", description: "bytes FIRST-LAST/*",
          isNeeded: true)
      ], bodyType: "application/octet-stream",
      answers: [Answer(status: 202, description: "The bytes were stored.", schema: "UploadState")],
      problems: [
        (400, "invalid_content_range, wrong_length"), (404, "upload_not_found"),
        (408, "body_too_slow"), (409, "upload_busy"), (413, "blob_too_large"),
        (416, "wrong_offset; the correct offset is in Range and Upload-Offset"),
        (507, "quota_exceeded, not_stored"),
      ]),
    Operation(
      method: "put", path: "/v1/uploads/{upload}",
      summary: "Finishes an upload, which becomes a blob.",
      caller: .bearer(.publish), parameters: [neededDigest],
      answers: [
        Answer(status: 201, description: "The blob was stored.", schema: "BlobReference")
      ],
      problems: [
        (400, "invalid_digest, unexpected_body"), (404, "upload_not_found"), (409, "upload_busy"),
        (422, "digest_mismatch"), (503, "store_unavailable; the upload is kept"),
        (507, "not_stored"),
      ]),
    Operation(
      method: "delete", path: "/v1/uploads/{upload}", summary: "Cancels an upload.",
      caller: .bearer(.publish),
      answers: [Answer(status: 204, description: "The upload was deleted.")],
      problems: [(404, "upload_not_found"), (409, "upload_busy")]),
  ]

  private static let rangeParameters = [
    Parameter(name: "Range", place: "header", description: "One range of bytes."),
    Parameter(
      name: "If-Range", place: "header",
      description: "The ETag of the blob that the range belongs to."),
    Parameter(
      name: "If-None-Match", place: "header", description: "The ETags that the client has."),
  ]

  static let blobOperations: [OpenAPIOperation] = [
    Operation(
      method: "get", path: "/v1/blobs/{digest}",
      summary: "Returns a blob's bytes or a range of them.",
      caller: .reader, parameters: rangeParameters,
      answers: [
        Answer(status: 200, description: "All bytes.", type: "application/octet-stream"),
        Answer(status: 206, description: "The requested range.", type: "application/octet-stream"),
        Answer(status: 304, description: "The client already has the blob."),
      ],
      problems: [
        (400, "invalid_digest"), (404, "blob_not_found"), (416, "range_not_satisfiable"),
        (500, "blob_damaged"), (503, "store_unavailable"),
      ]),
    Operation(
      method: "head", path: "/v1/blobs/{digest}", summary: "Reports whether a blob exists.",
      caller: .reader, answers: [Answer(status: 200, description: "The blob exists.")],
      problems: [(503, "store_unavailable")]),
  ]

  static let modelOperations: [OpenAPIOperation] = [
    Operation(
      method: "get", path: "/v1/models", summary: "Lists the models.", caller: .reader,
      answers: [Answer(status: 200, description: "The list, by name.", schema: "ModelList")]),
    Operation(
      method: "get", path: "/v1/models/{model}/versions", summary: "Lists a model's versions.",
      caller: .reader,
      answers: [Answer(status: 200, description: "The list, newest first.", schema: "VersionList")],
      problems: [(404, "model_not_found")]),
    Operation(
      method: "get", path: "/v1/models/{model}/versions/{version}", summary: "Returns a version.",
      caller: .reader,
      answers: [Answer(status: 200, description: "The version.", schema: "VersionRecord")],
      problems: [(404, "version_not_found")]),
    Operation(
      method: "post", path: "/v1/models/{model}/versions",
      summary: "Publishes a version whose blobs were all uploaded.", caller: .bearer(.publish),
      body: "VersionPublication",
      answers: [
        Answer(
          status: 200, description: "The version was already published.", schema: "VersionRecord"),
        Answer(status: 201, description: "The version was published.", schema: "VersionRecord"),
      ],
      problems: [
        (409, "version_exists"), (422, "blob_missing, invalid_manifest, wrong_size"),
        (503, "store_unavailable"),
      ]),
    Operation(
      method: "post", path: "/v1/models/{model}/versions/{version}/withdraw",
      summary: "Withdraws a version, so that no channel can be set to it.",
      caller: .bearer(.publish),
      parameters: [
        Parameter(
          name: "force", place: "query",
          description:
            "Withdraws the version even if channels use it. They keep it until they are set again.")
      ],
      answers: [
        Answer(status: 200, description: "The version was withdrawn.", schema: "VersionRecord")
      ],
      problems: [(404, "version_not_found"), (409, "version_in_use")]),
  ]

  private static let page = [
    Parameter(
      name: "before", place: "query", description: "Only entries with lower numbers.",
      schema: ["type": "integer", "minimum": 1]),
    Parameter(
      name: "limit", place: "query",
      description: "The maximum number of entries; the default is 100.",
      schema: ["type": "integer", "minimum": 1, "maximum": 1000]),
  ]

  private static let precondition = Parameter(
    name: "If-Match", place: "header", description: "The current ETag.")

  static let channelOperations: [OpenAPIOperation] = [
    Operation(
      method: "get", path: "/v1/models/{model}/channels", summary: "Lists a model's channels.",
      caller: .reader,
      answers: [
        Answer(status: 200, description: "The list, by name.", schema: "ChannelList")
      ],
      problems: [(404, "model_not_found")]),
    Operation(
      method: "get", path: "/v1/models/{model}/channels/{channel}",
      summary: "Returns a channel's signed document.", caller: .reader,
      parameters: [rangeParameters[2]],
      answers: [
        Answer(status: 200, description: "The document, with its ETag.", schema: "SignedDocument"),
        Answer(status: 304, description: "The client already has the document."),
      ], problems: [(404, "channel_not_found")]),
    Operation(
      method: "put", path: "/v1/models/{model}/channels/{channel}", summary: "Sets a channel.",
      caller: .bearer(.rollout),
      parameters: [
        precondition,
        Parameter(name: "If-None-Match", place: "header", description: "* to create a channel."),
      ], body: "ChannelContent",
      answers: [
        Answer(status: 200, description: "The channel was set.", schema: "SignedDocument"),
        Answer(status: 201, description: "The channel was created.", schema: "SignedDocument"),
      ],
      problems: [
        (404, "model_not_found"), (409, "version_withdrawn"), (412, "precondition_failed"),
        (422, "unknown_version, invalid_document"), (428, "precondition_required"),
      ]),
    Operation(
      method: "get", path: "/v1/models/{model}/channels/{channel}/history",
      summary: "Returns a channel's earlier documents.", caller: .reader, parameters: page,
      answers: [
        Answer(status: 200, description: "The list, newest first.", schema: "ChannelHistory")
      ],
      problems: [(404, "channel_not_found")]),
    Operation(
      method: "post", path: "/v1/models/{model}/channels/{channel}/rollback",
      summary: "Returns a channel to earlier content.", caller: .bearer(.rollout),
      parameters: [
        precondition,
        Parameter(
          name: "document_version", place: "query",
          description: "The document to return to; the default is the last one with other content.",
          schema: ["type": "integer", "minimum": 1]),
      ],
      answers: [Answer(status: 200, description: "The channel was set.", schema: "SignedDocument")],
      problems: [
        (404, "channel_not_found"), (409, "no_earlier_content, version_withdrawn"),
        (412, "precondition_failed"), (422, "invalid_document"), (428, "precondition_required"),
      ]),
  ]

  static let administrationOperations: [OpenAPIOperation] = [
    Operation(
      method: "get", path: "/v1/tokens", summary: "Lists the tokens.", caller: .bearer(.admin),
      answers: [Answer(status: 200, description: "The list, oldest first.", schema: "TokenList")]),
    Operation(
      method: "post", path: "/v1/tokens", summary: "Creates a token.", caller: .bearer(.admin),
      body: "TokenRequest",
      answers: [
        Answer(
          status: 201, description: "The token, with its secret. The secret is never sent again.",
          schema: "NewToken")
      ], problems: [(422, "invalid_token_request")]),
    Operation(
      method: "delete", path: "/v1/tokens/{token}", summary: "Revokes a token.",
      caller: .bearer(.admin),
      answers: [Answer(status: 204, description: "The token was revoked.")],
      problems: [(404, "token_not_found")]),
    Operation(
      method: "get", path: "/v1/audit", summary: "Lists who changed what and when.",
      caller: .bearer(.admin),
      parameters: page + [
        Parameter(
          name: "since", place: "query", description: "Only entries from this time on.",
          schema: ["type": "string", "format": "date-time"])
      ],
      answers: [Answer(status: 200, description: "The list, newest first.", schema: "AuditLog")]),
    Operation(
      method: "post", path: "/v1/gc", summary: "Collects garbage.", caller: .bearer(.admin),
      answers: [Answer(status: 200, description: "What was deleted.", schema: "CollectionReport")],
      problems: [(503, "store_unavailable")]),
  ]
}
#endif
