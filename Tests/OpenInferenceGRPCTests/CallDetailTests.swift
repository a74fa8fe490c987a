// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import GRPCCore
import Testing

@testable import OpenInferenceGRPC

@Suite struct CallDetailTests {
  @Test(
    arguments: [
      ("1H", 3_600_000_000_000), ("2M", 120_000_000_000), ("3S", 3_000_000_000), ("4m", 4_000_000),
      ("5u", 5000), ("99999999n", 99_999_999), ("0m", 0), ("", nil), ("m", nil), ("5", nil),
      ("5x", nil), ("-5m", nil), ("999999999n", nil), ("1.5S", nil),
    ] as [(String, Int64?)])
  func `a timeout has digits and a unit`(text: String, nanoseconds: Int64?) {
    let metadata: Metadata = ["grpc-timeout": .string(text)]
    #expect(metadata.timeout == nanoseconds.map { .nanoseconds($0) })
    #expect(Metadata().timeout == nil)
  }

  @Test(arguments: [
    ("ipv4:127.0.0.1:50051", "127.0.0.1"), ("ipv6:[::1]:50051", "::1"), ("unknown", "unknown"),
    ("in-process:1", "in-process:1"),
  ])
  func `a peer's address has no port`(peer: String, address: String) {
    #expect(CallInterceptor.address(peer) == address)
  }

  @Test(
    arguments: [
      (RPCError.Code.cancelled, nil, false, .cancelled), (.cancelled, 1.0, true, .deadlineExceeded),
      (.cancelled, 1.04, true, .deadlineExceeded), (.cancelled, 60, true, .cancelled),
      (.unavailable, nil, true, .cancelled), (.unavailable, 1, true, .deadlineExceeded),
      (.unavailable, 1, false, .unavailable), (.notFound, 1, true, .notFound),
    ] as [(RPCError.Code, Double?, Bool, RPCError.Code)])
  func `a reset call counts as the client sees it`(
    code: RPCError.Code, timeout: Double?, isCancelled: Bool, counted: RPCError.Code
  ) {
    #expect(
      CallInterceptor.code(
        of: RPCError(code: code, message: ""), after: .seconds(1),
        timeout: timeout.map { .seconds($0) }, isCancelled: isCancelled) == counted)
  }

  @Test func `raw and typed elements can't be mixed`() throws {
    var message = Inference_ModelInferRequest()
    var input = Inference_ModelInferRequest.InferInputTensor()
    (input.name, input.datatype, input.shape) = ("x", "INT8", [2])
    input.contents.intContents = [1, 2]
    message.inputs = [input]
    let typed = try InferenceRequest(message)
    guard case .int32s([1, 2]) = typed.inputs[0].contents, typed.byteCount == 8 else {
      Issue.record("\(typed)")
      return
    }
    message.rawInputContents = [Data([1, 2])]
    #expect(throws: CallFailure.self) { try InferenceRequest(message) }
    message.inputs[0].clearContents()
    guard case .raw(Data([1, 2])) = try InferenceRequest(message).inputs[0].contents else {
      Issue.record("\(message)")
      return
    }
    message.rawInputContents.append(Data())
    #expect(throws: CallFailure.self) { try InferenceRequest(message) }
    message.rawInputContents = []
    message.inputs[0].contents.fp32Contents = [1]
    #expect(throws: CallFailure.self) { try InferenceRequest(message) }
    message.inputs[0].datatype = "FP16"
    #expect(throws: CallFailure.self) { try InferenceRequest(message) }
  }

  @Test func `every descriptor is readable and has its service`() {
    for file in Descriptors.files {
      #expect(Data(base64Encoded: file.base64)?.isEmpty == false, "\(file.name)")
    }
    let symbols = Descriptors.files.flatMap(\.symbols)
    #expect(symbols.contains("inference.GRPCInferenceService.ModelInfer"))
    #expect(symbols.contains(HealthService.name))
  }
}
#endif
