// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import Logging
import OpenInferenceGRPC
import TensorIO
import WebServing

/// The Open Inference Protocol for gRPC's calls.
struct InferenceCalls: InferenceHandler {
  let service: OpenInferenceService
  let token: TokenCheck
  let logger: Logger

  var server: (name: String, version: String, extensions: [String]) {
    // gRPC has no JSON, so tensors are always binary.
    (
      service.name, service.version,
      OpenInferenceService.extensions.filter { $0 != "binary_tensor_data" }
    )
  }

  func authorize(_ authorization: String?, from address: String) async throws {
    try await converting {
      guard try await token.accepts(authorization?.bearerToken, from: address) else {
        throw WebError.tokenNeeded
      }
    }
  }

  func unreadiness() async throws -> String? {
    try await converting { try await service.readiness.reason() }
  }

  func description(of id: String, version: String) async throws -> ModelFacts {
    try await converting {
      let model = try await service.model(id, version: version)
      let signature = try model.loadSignature()
      func tensors(_ specs: [TensorSpec]) throws -> [ModelFacts.Tensor] {
        try specs.map {
          ModelFacts.Tensor(
            name: $0.name, type: $0.wireType.wireName,
            shape: try OpenInferenceService.shape(of: $0, in: model))
        }
      }
      let manifest = model.bundle.manifest
      return ModelFacts(
        name: manifest.id, version: manifest.version, platform: model.bundle.backendName ?? "",
        inputs: try tensors(signature.inputs), outputs: try tensors(signature.outputs))
    }
  }

  func statistics(
    of id: String, version: String
  ) async throws -> [(name: String, version: String, counts: ModelCounts)] {
    try await converting {
      let models =
        id.isEmpty ? service.catalogue.models : [try service.find(id, version: version)]
      return models.map {
        ($0.id, $0.bundle.manifest.version, service.statistics.counts(of: $0.id))
      }
    }
  }

  func run(
    _ request: InferenceRequest, deadline: ContinuousClock.Instant?
  ) async throws -> InferenceResult {
    try await converting {
      let model = try await service.model(request.model, version: request.version)
      let manifest = model.bundle.manifest
      let limits = TensorLimits(
        manifest.id, try model.loadSignature().inputs, limit: service.requestLimit)
      return try await service.tensors.withRequest(of: request.byteCount, limits) { queue in
        try await service.run(model, on: queue, deadline: deadline) {
          try InferenceCall(request)
        } reply: { reply in
          InferenceResult(
            model: manifest.id, version: manifest.version,
            outputs: reply.tensors.map { tensor, _ in
              InferenceResult.Output(
                name: tensor.name, type: tensor.type.wireName, shape: tensor.shape,
                bytes: tensor.elements.bytes)
            })
        }
      }
    }
  }

  func index(onlyReady: Bool) async throws -> [ModelState] {
    try await converting {
      try await service.index(onlyReady: onlyReady).map { model, problem in
        ModelState(name: model.id, version: model.bundle.manifest.version, problem: problem)
      }
    }
  }

  func load(_ model: String) async throws {
    try await converting { try await service.load(model) }
  }

  func unload(_ model: String) async throws {
    try await converting { try await service.unload(model) }
  }

  /// Converts the errors of the server, whose messages are those of HTTP's responses.
  private func converting<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch let error as WebError {
      throw CallFailure(error)
    } catch let error as TensorIOError where error.code == .cancelled {
      throw CancellationError()
    } catch let error as TensorIOError {
      throw CallFailure(WebError(error))
    } catch let error as CancellationError {
      throw error
    } catch let error as CallFailure {
      throw error
    } catch {
      logger.error("a call failed: \(error)")
      throw CallFailure(
        .internalError, "The server failed to respond. Its log contains the reason.")
    }
  }
}

extension CallFailure {
  fileprivate init(_ error: WebError) {
    let kind: Kind =
      switch error.status {
      case _ where error.code == "too_busy": .resourceExhausted
      case .tooManyRequests: .resourceExhausted
      case .badRequest, .contentTooLarge: .invalidArgument
      case .unauthorized: .unauthenticated
      case .forbidden: .permissionDenied
      case .notFound: .notFound
      case .conflict, .unprocessableContent: .failedPrecondition
      case .serviceUnavailable: .unavailable
      case .gatewayTimeout: .deadlineExceeded
      default: .internalError
      }
    self.init(kind, error.message)
  }
}

extension InferenceCall {
  /// Reads a request of gRPC.
  init(_ request: InferenceRequest) throws {
    try self.init(
      id: request.id.isEmpty ? nil : request.id, inputs: request.inputs.map(WireTensor.init),
      outputs: request.outputs.map { Output(name: $0.name, isBinary: true, classes: $0.classes) },
      wantsBinary: true)
  }
}

extension WireTensor {
  fileprivate init(_ input: InferenceRequest.Input) throws {
    guard let type = DataType(wireName: input.type) else {
      throw WebError.badRequest(
        "'\(input.name.prefix(100))' has the unknown type '\(input.type.prefix(40))'.")
    }
    let elements: WireElements =
      switch input.contents {
      case .raw(let bytes): try WireElements(bytes, type: type)
      case .bools(let list): .bools(list)
      case .strings(let list): .strings(list)
      case .floats(let list): .numbers(list)
      case .doubles(let list): .numbers(list)
      case .int64s(let list): .numbers(list)
      case .int32s(let list): try Self.narrow(list, to: type, input.name)
      case .uint32s(let list): try Self.narrow(list, to: type, input.name)
      }
    try self.init(name: input.name, type: type, shape: input.shape, elements: elements)
  }

  /// Converts the integers of a message, which has no lists of smaller types.
  private static func narrow<Number: WireNumber & FixedWidthInteger>(
    _ list: [Number], to type: DataType, _ name: String
  ) throws -> WireElements {
    func narrowed<Small: WireNumber & FixedWidthInteger>(_: Small.Type) throws -> WireElements {
      .numbers(
        try list.map { number in
          guard let small = Small(exactly: number) else {
            throw WebError.badRequest(
              "'\(name.prefix(100))' has the number \(number), which \(type.wireName) can't "
                + "represent.")
          }
          return small
        })
    }
    return switch type {
    case .int8: try narrowed(Int8.self)
    case .int16: try narrowed(Int16.self)
    case .uint8: try narrowed(UInt8.self)
    case .uint16: try narrowed(UInt16.self)
    default: .numbers(list)
    }
  }
}
#endif
