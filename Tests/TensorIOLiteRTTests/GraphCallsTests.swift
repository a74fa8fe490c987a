// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TensorIO
import Testing

@testable import TensorIOLiteRT

@Suite struct GraphCallsTests {
  private enum Verdict { case sound, endless, tooDeep }

  private func verdict(_ calls: [[Int]]) -> Verdict {
    do {
      try GraphCalls.refuseEndless(calls)
      return .sound
    } catch {
      return error.isUnsupported ? .tooDeep : .endless
    }
  }

  /// How deep calls nest below a graph, found by trying every path; nil if one is endless.
  private func depth(_ graph: Int, _ calls: [[Int]], _ above: Set<Int> = []) -> Int? {
    guard !above.contains(graph) else { return nil }
    var deepest = 0
    for next in calls[graph] {
      guard let depth = depth(next, calls, above.union([graph])) else { return nil }
      deepest = max(deepest, depth)
    }
    return deepest + 1
  }

  @Test func `endless calls are found in any call graph`() {
    var random = SystemRandomNumberGenerator()
    var endless = 0
    for _ in 0..<3000 {
      let count = Int.random(in: 1...7, using: &random)
      let calls = (0..<count).map { _ in
        (0..<Int.random(in: 0...2, using: &random)).map { _ in Int.random(in: 0..<count) }
      }
      let isEndless = calls.indices.contains { depth($0, calls) == nil }
      endless += isEndless ? 1 : 0
      #expect(verdict(calls) == (isEndless ? .endless : .sound), "\(calls)")
    }
    #expect((500..<2900).contains(endless))
  }

  @Test func `a truncated file is rejected`() throws {
    let file = Fixtures.model("endless_graphs.tflite")
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
    for count in 0...bytes.count {
      let error = #expect(throws: TensorIOError.self) {
        try Array(bytes[..<count]).withUnsafeBytes {
          try ModelRules.check($0, path: file, tensorByteLimit: 1 << 30)
        }
      }
      #expect(error?.code == .invalidModel)
    }
  }

  @Test func `calls may nest, but only to a limit`() {
    func chain(_ depth: Int) -> [[Int]] {
      (0..<depth).map { $0 + 1 < depth ? [$0 + 1, $0 + 1] : [] }
    }
    #expect(verdict([]) == .sound)
    #expect(verdict(chain(GraphCalls.maximumDepth)) == .sound)
    #expect(verdict(chain(GraphCalls.maximumDepth + 1)) == .tooDeep)
    #expect(verdict(chain(100_000)) == .tooDeep)
    #expect(verdict(chain(256).map { $0.map { 255 - $0 } }.reversed()) == .sound)
  }
}
