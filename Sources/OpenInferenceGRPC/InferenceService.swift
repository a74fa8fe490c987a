// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import GRPCCore
import SwiftProtobuf

/// The service of the Open Inference Protocol.
struct InferenceService: Inference_GRPCInferenceService.ServiceProtocol {
  let handler: any InferenceHandler
  let shutdown: Shutdown

  func serverLive(
    request: ServerRequest<Inference_ServerLiveRequest>, context: ServerContext
  ) async throws -> ServerResponse<Inference_ServerLiveResponse> {
    ServerResponse(message: .with { $0.live = true })
  }

  func serverReady(
    request: ServerRequest<Inference_ServerReadyRequest>, context: ServerContext
  ) async throws -> ServerResponse<Inference_ServerReadyResponse> {
    try await answer(context) {
      let reason = try await handler.unreadiness()
      return .with { $0.ready = reason == nil }
    }
  }

  func modelReady(
    request: ServerRequest<Inference_ModelReadyRequest>, context: ServerContext
  ) async throws -> ServerResponse<Inference_ModelReadyResponse> {
    try await answer(context) {
      do {
        _ = try await handler.description(
          of: request.message.name, version: request.message.version)
        return .with { $0.ready = true }
      } catch let error as CallFailure
        where [.failedPrecondition, .unavailable, .internalError].contains(error.kind)
      {
        // The model exists and can't run, which isn't an error of the call.
        return .with { $0.ready = false }
      }
    }
  }

  func serverMetadata(
    request: ServerRequest<Inference_ServerMetadataRequest>, context: ServerContext
  ) async throws -> ServerResponse<Inference_ServerMetadataResponse> {
    let server = handler.server
    return ServerResponse(
      message: .with {
        ($0.name, $0.version, $0.extensions) = (server.name, server.version, server.extensions)
      })
  }

  func modelMetadata(
    request: ServerRequest<Inference_ModelMetadataRequest>, context: ServerContext
  ) async throws -> ServerResponse<Inference_ModelMetadataResponse> {
    try await answer(context) {
      let model = try await handler.description(
        of: request.message.name, version: request.message.version)
      return .with {
        ($0.name, $0.versions, $0.platform) = (model.name, [model.version], model.platform)
        $0.inputs = model.inputs.map(\.message)
        $0.outputs = model.outputs.map(\.message)
      }
    }
  }

  func modelInfer(
    request: ServerRequest<Inference_ModelInferRequest>, context: ServerContext
  ) async throws -> ServerResponse<Inference_ModelInferResponse> {
    let deadline = request.metadata.timeout.map { ContinuousClock.now + $0 }
    return try await answer(context) {
      let inference = try InferenceRequest(request.message)
      let result = try await handler.run(inference, deadline: deadline)
      var message = Inference_ModelInferResponse()
      message.modelName = result.model
      message.modelVersion = result.version
      message.id = inference.id
      message.outputs = result.outputs.map { output in
        .with {
          ($0.name, $0.datatype) = (output.name, output.type)
          $0.shape = output.shape.map(Int64.init)
        }
      }
      message.rawOutputContents = result.outputs.map(\.bytes)
      return message
    }
  }

  func modelConfig(
    request: ServerRequest<Inference_ModelConfigRequest>, context: ServerContext
  ) async throws -> ServerResponse<Inference_ModelConfigResponse> {
    try await answer(context) {
      let model = try await handler.description(
        of: request.message.name, version: request.message.version)
      return .with {
        $0.config = .with {
          ($0.name, $0.platform, $0.backend) = (model.name, model.platform, model.platform)
          $0.input = model.inputs.map { $0.configuration() }
          $0.output = model.outputs.map { $0.configuration() }
        }
      }
    }
  }

  func modelStatistics(
    request: ServerRequest<Inference_ModelStatisticsRequest>, context: ServerContext
  ) async throws -> ServerResponse<Inference_ModelStatisticsResponse> {
    try await answer(context) {
      let models = try await handler.statistics(
        of: request.message.name, version: request.message.version)
      return .with {
        $0.modelStats = models.map { name, version, counts in
          .with {
            ($0.name, $0.version) = (name, version)
            $0.lastInference = UInt64(counts.last)
            $0.inferenceCount = UInt64(counts.items)
            $0.executionCount = UInt64(counts.runs)
            $0.inferenceStats = counts.message
          }
        }
      }
    }
  }

  func repositoryIndex(
    request: ServerRequest<Inference_RepositoryIndexRequest>, context: ServerContext
  ) async throws -> ServerResponse<Inference_RepositoryIndexResponse> {
    try await answer(context) {
      let models = try await handler.index(onlyReady: request.message.ready)
      return .with {
        $0.models = models.map { model in
          .with {
            ($0.name, $0.version) = (model.name, model.version)
            $0.state = model.problem == nil ? "READY" : "UNAVAILABLE"
            $0.reason = model.problem ?? ""
          }
        }
      }
    }
  }

  func repositoryModelLoad(
    request: ServerRequest<Inference_RepositoryModelLoadRequest>, context: ServerContext
  ) async throws -> ServerResponse<Inference_RepositoryModelLoadResponse> {
    try await answer(context) {
      try await handler.load(request.message.modelName)
      return .init()
    }
  }

  func repositoryModelUnload(
    request: ServerRequest<Inference_RepositoryModelUnloadRequest>, context: ServerContext
  ) async throws -> ServerResponse<Inference_RepositoryModelUnloadResponse> {
    try await answer(context) {
      try await handler.unload(request.message.modelName)
      return .init()
    }
  }

  /// Makes a response, in a task that ends with the call, and turns failures into statuses.
  private func answer<Message: Sendable>(
    _ context: ServerContext, _ make: @escaping @Sendable () async throws -> Message
  ) async throws -> ServerResponse<Message> {
    let task = Task { try await make() }
    do {
      return ServerResponse(
        message: try await withTaskCancellationHandler {
          try await withRPCCancellationHandler {
            try await task.value
          } onCancelRPC: {
            // A shutdown cancels all calls, but those in progress have until its time is up. Then
            // this function's own task is cancelled.
            if !shutdown.hasBegun { task.cancel() }
          }
        } onCancel: {
          task.cancel()
        })
    } catch {
      throw RPCError(failure: error)
    }
  }
}

extension ModelCounts {
  fileprivate var message: Inference_InferStatistics {
    func times(_ times: Times) -> Inference_StatisticDuration {
      .with { ($0.count, $0.ns) = (UInt64(times.count), UInt64(times.nanoseconds)) }
    }
    return .with {
      ($0.success, $0.fail, $0.queue) = (times(success), times(failure), times(queue))
      $0.computeInput = times(input)
      $0.computeInfer = times(inference)
      $0.computeOutput = times(output)
    }
  }
}

/// The input or output of a model's configuration, which are two generated types with the same fields.
private protocol TensorConfiguration {
  init()
  var name: String { get set }
  var dataType: Inference_DataType { get set }
  var dims: [Int64] { get set }
}

extension Inference_ModelInput: TensorConfiguration {}
extension Inference_ModelOutput: TensorConfiguration {}

extension ModelFacts.Tensor {
  fileprivate func configuration<Configuration: TensorConfiguration>() -> Configuration {
    var configuration = Configuration()
    (configuration.name, configuration.dataType) = (name, dataType)
    configuration.dims = shape.map(Int64.init)
    return configuration
  }

  /// The type of elements, which the configuration names in another way than the metadata.
  fileprivate var dataType: Inference_DataType {
    switch type {
    case "BOOL": .typeBool
    case "UINT8": .typeUint8
    case "UINT16": .typeUint16
    case "UINT32": .typeUint32
    case "UINT64": .typeUint64
    case "INT8": .typeInt8
    case "INT16": .typeInt16
    case "INT32": .typeInt32
    case "INT64": .typeInt64
    case "FP16": .typeFp16
    case "FP32": .typeFp32
    case "FP64": .typeFp64
    case "BYTES": .typeString
    case "BF16": .typeBf16
    default: .typeInvalid
    }
  }

  fileprivate var message: Inference_ModelMetadataResponse.TensorMetadata {
    .with {
      ($0.name, $0.datatype) = (name, type)
      $0.shape = shape.map(Int64.init)
    }
  }
}
#endif
