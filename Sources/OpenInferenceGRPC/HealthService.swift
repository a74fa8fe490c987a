// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import GRPCCore
import SwiftProtobuf

/// gRPC's health checking protocol, for probes and load balancers.
///
/// The services are the server as a whole, which has an empty name, and the inference service. Both
/// serve when the server is ready.
struct HealthService: Grpc_Health_V1_Health.SimpleServiceProtocol {
  let handler: any InferenceHandler
  let connections: CallConnections
  /// How often a watched status is checked.
  let interval = Duration.seconds(1)

  static let name = Grpc_Health_V1_Health.descriptor.fullyQualifiedService
  private static let services = [
    "", Inference_GRPCInferenceService.descriptor.fullyQualifiedService,
  ]

  func check(
    request: Grpc_Health_V1_HealthCheckRequest, context: ServerContext
  ) async throws -> Grpc_Health_V1_HealthCheckResponse {
    guard Self.services.contains(request.service) else {
      throw RPCError(
        code: .notFound,
        message: "The server has no service '\(request.service.prefix(100))'. Ask for "
          + "'\(Self.services[1])', or for the whole server with an empty name.")
    }
    return try await status()
  }

  func list(
    request: Grpc_Health_V1_HealthListRequest, context: ServerContext
  ) async throws -> Grpc_Health_V1_HealthListResponse {
    let status = try await status()
    return .with {
      $0.statuses = Dictionary(uniqueKeysWithValues: Self.services.map { ($0, status) })
    }
  }

  func watch(
    request: Grpc_Health_V1_HealthCheckRequest,
    response: RPCWriter<Grpc_Health_V1_HealthCheckResponse>, context: ServerContext
  ) async throws {
    let isKnown = Self.services.contains(request.service)
    try await connections.whileWatching(context.remotePeer) {
      var last: Grpc_Health_V1_HealthCheckResponse?
      // A shutdown of the server cancels the call, too.
      while !context.cancellation.isCancelled {
        let status = isKnown ? try await status() : .with { $0.status = .serviceUnknown }
        if status != last { try await response.write(status) }
        last = status
        try await Task.sleep(for: interval)
      }
    }
  }

  private func status() async throws -> Grpc_Health_V1_HealthCheckResponse {
    do {
      let reason = try await handler.unreadiness()
      return .with { $0.status = reason == nil ? .serving : .notServing }
    } catch {
      throw RPCError(failure: error)
    }
  }
}
#endif
