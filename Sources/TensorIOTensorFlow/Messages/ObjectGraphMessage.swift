// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The Python objects of a model: `SavedObjectGraph` of
/// tensorflow/core/protobuf/saved_object_graph.proto.
///
/// Checkpoints name variables by their paths through these objects. Keras writes some of its lists in
/// another order in each export, so the same path can be another variable.
struct ObjectGraphMessage {
  private struct Node {
    var children: [(name: String, node: Int)] = []
    /// The name of a variable; nil for any other object.
    var variable: String?
  }

  /// The names of the variables, by all paths to them through objects that are reached first.
  private(set) var variables: [String: String] = [:]

  /// Reads a message.
  ///
  /// - Throws: ``MessageFields/Damaged``.
  init(_ bytes: ArraySlice<UInt8>) throws {
    let nodes = try MessageFields.read(bytes).filter { $0.number == 1 }.compactMap(\.value)
      .map(Self.node)
    guard !nodes.isEmpty else { return }
    var seen: Set<Int> = [0]
    var queue: [(path: String, node: Int)] = [("", 0)]
    var next = 0
    while next < queue.count {
      let (path, index) = queue[next]
      next += 1
      for child in nodes[index].children where nodes.indices.contains(child.node) {
        let childPath = path.isEmpty ? child.name : path + "/" + child.name
        if let name = nodes[child.node].variable {
          variables[childPath] = name
        } else if seen.insert(child.node).inserted {
          queue.append((childPath, child.node))
        }
      }
    }
  }

  private static func node(_ bytes: ArraySlice<UInt8>) throws -> Node {
    var node = Node()
    for field in try MessageFields.read(bytes) {
      guard let value = field.value else { continue }
      switch field.number {
      case 1:
        var child = (name: "", node: 0)
        for field in try MessageFields.read(value) {
          if field.number == 1, let number = field.integer {
            child.node = Int(truncatingIfNeeded: number)
          }
          if field.number == 2 { child.name = try field.text() ?? "" }
        }
        node.children.append(child)
      case 7:
        node.variable = try MessageFields.read(value).last { $0.number == 6 }?.text() ?? ""
      default: break
      }
    }
    return node
  }
}
