// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import TensorIOTensorFlow

/// Compares how messages are read with TensorFlow's own classes.
@Suite(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set."))
struct SavedModelMessageTests {
  /// Writes a SavedModel with two graphs, in a form that every reader must accept.
  private static let script = """
    import base64
    import tensorflow_messages
    from tensorflow.core.protobuf import saved_model_pb2
    model = saved_model_pb2.SavedModel(saved_model_schema_version=1)
    for tags in (["serve"], ["train", "gpu"]):
        graph = model.meta_graphs.add()
        graph.meta_info_def.tags.extend(tags)
        graph.meta_info_def.tensorflow_version = "2.21.0"
        graph.meta_info_def.stripped_default_attrs = True
        graph.saver_def.filename_tensor_name = "file:0"
        graph.saver_def.restore_op_name = "restore"
        graph.graph_def.node.add(name="x" * 300, op="Placeholder")
        for key in ("serving_default", "d\u{00E9}j\u{00E0}"):
            signature = graph.signature_def[key]
            signature.inputs["in"].name = "in:0"
            signature.inputs["in"].tensor_shape.dim.add(size=-1)
            signature.outputs["out"].name = "out:" + tags[0]
            signature.method_name = "tensorflow/serving/predict"
    print(base64.b64encode(model.SerializeToString()).decode())
    """

  /// Describes a message as Python reads it.
  private static let reader = """
    import base64, sys
    import tensorflow_messages
    from tensorflow.core.protobuf import saved_model_pb2
    model = saved_model_pb2.SavedModel.FromString(base64.b64decode(sys.stdin.read()))
    print(model.saved_model_schema_version, [list(g.meta_info_def.tags) for g in model.meta_graphs],
          [g.meta_info_def.stripped_default_attrs for g in model.meta_graphs],
          [len(g.graph_def.node[0].name) for g in model.meta_graphs],
          [sorted(g.signature_def) for g in model.meta_graphs])
    """

  private static func written() async throws -> [UInt8] {
    let text = try await Python.run(["-c", script])
    return [UInt8](try #require(Data(base64Encoded: text.trimmingCharacters(in: .newlines))))
  }

  @Test func `messages that Python writes are read`() async throws {
    let message = try await SavedModelMessage(Self.written()[...])
    #expect(message.metaGraphs.map(\.tags) == [["serve"], ["train", "gpu"]])
    let graph = try #require(message.metaGraphs.last)
    #expect(graph.tensorFlowVersion == "2.21.0")
    #expect(graph.saver.filenameTensorName == "file:0")
    #expect(graph.saver.saveTensorName == "")
    #expect(graph.saver.restoreOpName == "restore")
    #expect(graph.signatures.keys.sorted() == ["d\u{00E9}j\u{00E0}", "serving_default"])
    #expect(graph.signatures["serving_default"]?.inputs == ["in": "in:0"])
    #expect(graph.signatures["serving_default"]?.outputs == ["out": "out:train"])
  }

  @Test func `Python reads messages that were rewritten with other tags`() async throws {
    let message = try await SavedModelMessage(Self.written()[...])
    let kept = try message.keeping(tags: ["gpu", "train"], retagged: "serve")
    let seen = try await Python.run(
      ["-c", Self.reader], input: Data(kept).base64EncodedData())
    #expect(seen == "1 [['serve']] [True] [300] [['d\u{00E9}j\u{00E0}', 'serving_default']]\n")
  }

  @Test func `a cut or altered message gives an error or a message`() async throws {
    let bytes = try await Self.written()
    for count in 0..<bytes.count { _ = try? SavedModelMessage(bytes[..<count]) }
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      var altered = bytes
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        altered[Int.random(in: 0..<bytes.count, using: &generator)] =
          .random(in: 0...255, using: &generator)
      }
      guard let message = try? SavedModelMessage(altered[...]) else { continue }
      _ = try? message.keeping(tags: ["serve"], retagged: "other")
    }
  }

  @Test(
    arguments: [
      [0x12, 0x05, 0x00], [0x12], [0x00, 0x00], [0x0B], [0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
      [0x08] + [UInt8](repeating: 0xFF, count: 11), [0x09, 1, 2],
      [0x12, 0x04, 0x0A, 0x02, 0x22, 0x05],
      [0x12, 0x05, 0x0A, 0x03, 0x22, 0x01, 0xFF],
    ] as [[UInt8]])
  func `a damaged message is an error`(_ bytes: [UInt8]) {
    #expect(throws: MessageFields.Damaged.self) { try SavedModelMessage(bytes[...]) }
  }
}
