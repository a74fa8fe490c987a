// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import GRPCCore
import Logging
import Synchronization
import WebServing

/// Checks each call's token, counts the call, and writes its line of the log.
struct CallInterceptor: ServerInterceptor {
  let handler: any InferenceHandler
  let metrics: RequestMetrics
  let logger: Logger

  func intercept<Input: Sendable, Output: Sendable>(
    request: StreamingServerRequest<Input>, context: ServerContext,
    next:
      @Sendable (
        _ request: StreamingServerRequest<Input>, _ context: ServerContext
      ) async throws -> StreamingServerResponse<Output>
  ) async throws -> StreamingServerResponse<Output> {
    let call = Call(context, metrics, logger, timeout: request.metadata.timeout)
    do {
      // Probes have no token, as for `/healthz`.
      if context.descriptor.service.fullyQualifiedService != HealthService.name {
        try await handler.authorize(
          request.metadata[stringValues: "authorization"].first { _ in true },
          from: Self.address(context.remotePeer))
      }
      var response = try await next(request, context)
      switch response.accepted {
      case .success(var contents):
        let producer = contents.producer
        contents.producer = { writer in
          do {
            let metadata = try await producer(writer)
            call.end(nil)
            return metadata
          } catch {
            call.end(RPCError(failure: error))
            throw error
          }
        }
        response.accepted = .success(contents)
      case .failure(let error): call.end(error)
      }
      return response
    } catch {
      let error = RPCError(failure: error)
      call.end(error)
      throw error
    }
  }

  /// Returns the code that the client has for a call.
  ///
  /// When a client's deadline has passed, it resets the call, as when it cancels the call. The
  /// handler then ends as cancelled, or can't send its response.
  ///
  /// - Parameters:
  ///   - error: The call's error.
  ///   - duration: How long the call took.
  ///   - timeout: How long the client waits, or nil if it sets no limit.
  ///   - isCancelled: Whether the call was reset.
  /// - Returns: The code for the log and the metrics.
  static func code(
    of error: RPCError, after duration: Duration, timeout: Duration?, isCancelled: Bool
  ) -> RPCError.Code {
    guard error.code == .cancelled || (isCancelled && error.code == .unavailable) else {
      return error.code
    }
    // The client's time began before the server's.
    guard let timeout, duration + slack >= timeout else { return .cancelled }
    return .deadlineExceeded
  }

  /// How much earlier than the server's the client's deadline may pass.
  private static let slack = Duration.milliseconds(50)

  /// Returns the address of `ipv4:127.0.0.1:50051` and `ipv6:[::1]:50051`.
  static func address(_ peer: String) -> String {
    let parts = peer.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, let end = parts[1].lastIndex(of: ":") else { return peer }
    return parts[1][..<end].filter { $0 != "[" && $0 != "]" }
  }
}

/// A call that is counted and logged once, when it ends.
///
/// The transport drops the response of a call whose client is gone, which ends the call as cancelled.
private final class Call: Sendable {
  private let method: MethodDescriptor
  private let cancellation: ServerContext.RPCCancellationHandle
  private let metrics: RequestMetrics
  private let logger: Logger
  private let start = ContinuousClock.now
  /// How long the client waits, or nil if it sets no limit.
  private let timeout: Duration?
  private let hasEnded = Atomic(false)

  init(
    _ context: ServerContext, _ metrics: RequestMetrics, _ logger: Logger, timeout: Duration?
  ) {
    (method, cancellation) = (context.descriptor, context.cancellation)
    (self.metrics, self.logger, self.timeout) = (metrics, logger, timeout)
    metrics.begin()
  }

  deinit { end(RPCError(code: .cancelled, message: "The client cancelled the call.")) }

  /// Returns a code's name as other servers' metrics have it: `NotFound`.
  private static func name(of code: RPCError.Code) -> String {
    let name = code == .internalError ? "internal" : "\(code)"
    return name.prefix(1).uppercased() + name.dropFirst()
  }

  func end(_ error: RPCError?) {
    guard !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
    let duration = ContinuousClock.now - start
    let isCancelled = cancellation.isCancelled
    let status =
      error.map { error in
        Self.name(
          of: CallInterceptor.code(
            of: error, after: duration, timeout: timeout, isCancelled: isCancelled))
      } ?? "OK"
    metrics.end(
      method: method.method, route: method.service.fullyQualifiedService, status: status,
      duration: duration)
    logger.info(
      "request",
      metadata: RequestNotes.metadata(
        method: "POST", target: "/" + method.fullyQualifiedMethod, status: status, bytes: nil,
        duration))
    // The client doesn't get the cause.
    if let error, error.code == .internalError, let cause = error.cause {
      logger.error("a call failed: \(cause)")
    }
  }
}
#endif
