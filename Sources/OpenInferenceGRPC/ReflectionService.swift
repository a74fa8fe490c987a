// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import GRPCCore
import GRPCProtobuf
import SwiftProtobuf

/// Server reflection, by which clients such as grpcurl discover the services and their messages.
///
/// Both versions of the protocol have the same messages.
struct ReflectionService: RegistrableRPCService {
  private typealias Request = Grpc_Reflection_V1_ServerReflectionRequest
  private typealias Response = Grpc_Reflection_V1_ServerReflectionResponse

  /// The serialized descriptors of the files, by their names and by their symbols.
  private let files: [String: Data]
  private let symbols: [String: Data]
  private let services: [String]

  private static let names = [
    "grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection",
  ]

  init() {
    var (files, symbols) = ([String: Data](), [String: Data]())
    for file in Descriptors.files {
      let data = Data(base64Encoded: file.base64)
      files[file.name] = data
      for symbol in file.symbols { symbols[symbol] = data }
    }
    (self.files, self.symbols) = (files, symbols)
    services =
      [
        Inference_GRPCInferenceService.descriptor.fullyQualifiedService, HealthService.name,
      ] + Self.names
  }

  func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
    for name in Self.names {
      router.registerHandler(
        forMethod: MethodDescriptor(
          fullyQualifiedService: name, method: "ServerReflectionInfo",
          type: .bidirectionalStreaming),
        deserializer: ProtobufDeserializer<Request>(),
        serializer: ProtobufSerializer<Response>()
      ) { request, _ in
        StreamingServerResponse { writer in
          for try await message in request.messages { try await writer.write(respond(to: message)) }
          return [:]
        }
      }
    }
  }

  private func respond(to request: Request) -> Response {
    var response = Response()
    response.validHost = request.host
    response.originalRequest = request
    switch request.messageRequest {
    case .listServices:
      response.listServicesResponse = .with {
        $0.service = services.map { name in .with { $0.name = name } }
      }
    case .fileByFilename(let name): response.messageResponse = Self.file(files[name], name)
    case .fileContainingSymbol(let name): response.messageResponse = Self.file(symbols[name], name)
    case .allExtensionNumbersOfType(let name) where symbols[name] != nil:
      // The messages have no extensions.
      response.allExtensionNumbersResponse = .with { $0.baseTypeName = name }
    case .allExtensionNumbersOfType(let name): response.messageResponse = Self.file(nil, name)
    case .fileContainingExtension(let wanted):
      response.messageResponse = Self.file(nil, wanted.containingType)
    case nil:
      response.errorResponse = .with {
        $0.errorCode = Int32(Status.Code.invalidArgument.rawValue)
        $0.errorMessage = "The request asks for nothing."
      }
    }
    return response
  }

  private static func file(_ data: Data?, _ name: String) -> Response.OneOf_MessageResponse {
    guard let data else {
      return .errorResponse(
        .with {
          $0.errorCode = Int32(Status.Code.notFound.rawValue)
          $0.errorMessage = "The server doesn't describe '\(name.prefix(100))'."
        })
    }
    return .fileDescriptorResponse(.with { $0.fileDescriptorProto = [data] })
  }
}
#endif
