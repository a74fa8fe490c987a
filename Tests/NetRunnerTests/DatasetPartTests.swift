// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import Testing

@testable import NetRunner

/// Tests limits, parts and hashes.
@Suite struct DatasetPartTests {
  private let dataset = Dataset(
    layout: .folder, name: "d", path: "d",
    samples: (0..<10).map { Sample(id: "\($0).jpg", source: .file("d/\($0).jpg")) })

  @Test func `parts contain each image once, with its index`() throws {
    let parts = try (1...3).map { try dataset.part($0, of: 3) }
    #expect(parts.map(\.indices) == [[0, 3, 6, 9], [1, 4, 7], [2, 5, 8]])
    #expect(parts[1].ids == ["1.jpg", "4.jpg", "7.jpg"])
    try #expect(dataset.part(1, of: 1).ids == dataset.ids)
    try #expect(dataset.part(12, of: 12).ids == [])
    for (index, count) in [(0, 3), (4, 3), (1, 0), (-1, -1), (.max, .min)] {
      #expect(throws: TensorIOError.self) { try dataset.part(index, of: count) }
    }
  }

  @Test func `a part of a limited dataset has the indexes in the whole dataset`() throws {
    let limited = try dataset.limited(to: 5, seed: 3)
    #expect(limited.samples.count == 5)
    #expect(limited.indices == limited.indices.sorted())
    #expect(limited.ids == limited.indices.map { "\($0).jpg" })
    let parts = try (1...2).map { try limited.part($0, of: 2) }
    #expect(parts.flatMap(\.indices).sorted() == limited.indices)
    #expect(parts[0].indices == [0, 2, 4].map { limited.indices[$0] })
  }

  @Test func `a seed selects the same images in any order of files`() throws {
    var reversed = dataset
    reversed.samples.reverse()
    let chosen = try Set(dataset.limited(to: 4, seed: 1).ids)
    try #expect(Set(reversed.limited(to: 4, seed: 1).ids) == chosen)
    let all = try Set((0..<20).map { try Set(dataset.limited(to: 4, seed: $0).ids) })
    #expect(all.count > 10)
    // Each image is selected about equally often: 2000 draws of 4 in 10.
    var counts: [String: Int] = [:]
    for seed in UInt64(0)..<2000 {
      for id in try dataset.limited(to: 4, seed: seed).ids { counts[id, default: 0] += 1 }
    }
    #expect(counts.count == 10)
    #expect(counts.values.allSatisfy { (700...900).contains($0) })
  }

  @Test func `a limit without a seed selects the first images, or all if it's larger`() throws {
    try #expect(dataset.limited(to: 2).ids == ["0.jpg", "1.jpg"])
    try #expect(dataset.limited(to: 2).notes == ["the first 2 of 10 images"])
    try #expect(dataset.limited(to: 0).ids == [])
    try #expect(dataset.limited(to: 10, seed: 1).notes == [])
    try #expect(dataset.limited(to: .max, seed: 1).ids == dataset.ids)
    #expect(throws: TensorIOError.self) { try dataset.limited(to: -1) }
  }

  // MARK: - Hashes

  @Test func `the hash depends only on identifiers, labels, bytes and order`() throws {
    let folder = try DatasetFolder(["cat/a.jpg": "one", "dog/b.jpg": "two"])
    let copy = try DatasetFolder(["cat/a.jpg": "one", "dog/b.jpg": "two"])
    let hash = try folder.dataset().sha256()
    #expect(hash.count == 64)
    try #expect(copy.dataset().sha256(threads: 1) == hash)
    try #expect(copy.dataset().sha256(threads: 9) == hash)
    var hashes: Set = [hash]
    func changed(_ change: (inout Dataset) -> Void) throws {
      var dataset = try folder.dataset()
      change(&dataset)
      try #expect(hashes.insert(dataset.sha256()).inserted)
    }
    try changed { $0.samples.reverse() }
    try changed { $0.samples[0].id = "cat/x.jpg" }
    try changed { $0.samples[0].truth = .label("dog") }
    try changed { $0.samples[0].truth = nil }
    try changed { $0.samples[0].truth = .values([1]) }
    try changed { $0.samples[0].truth = .values([1, 0]) }
    try changed { $0.samples[0].truth = .values([-0.0]) }
    try changed { $0.samples[0].truth = .boxes([]) }
    let box = GroundTruthBox(label: "cat", box: Box(x: 0, y: 0, width: 1, height: 1))
    try changed { $0.samples[0].truth = .boxes([box]) }
    try changed { $0.samples[0].truth = .boxes([box, box]) }
    try changed { $0.samples[0].truth = .results(.object(["a": .null])) }
    try changed { $0.samples[0].truth = .results(.object(["a": .array([])])) }
    try changed { $0.samples[0].source = .file("missing") }
    try changed { $0.samples[0].source = .url("missing") }
    try changed { $0.samples[0].source = .bytes(Array("onf".utf8), name: "x") }
    try changed { $0.samples.removeLast() }
    try copy.write("onE", to: "cat/a.jpg")
    try #expect(hashes.insert(copy.dataset().sha256()).inserted)
  }

  @Test func `bytes in memory have the file's hash, whatever the order of an object's keys`() throws
  {
    let folder = try DatasetFolder(["a.jpg": "one"])
    var dataset = try folder.dataset()
    let hash = try dataset.sha256()
    dataset.samples[0].source = .bytes(Array("one".utf8), name: "x")
    try #expect(dataset.sha256() == hash)
    let keys = (0..<20).map { "k\($0)" }
    let hashes = try Set(
      (0..<5).map { _ in
        let object = Dictionary(keys.shuffled().map { ($0, JSONValue.null) }) { $1 }
        dataset.samples[0].truth = .results(.object(object))
        return try dataset.sha256()
      })
    #expect(hashes.count == 1)
  }

  @Test func `a class map's bytes change the hash`() throws {
    let folder = try DatasetFolder(["images/a.jpg": "one", "masks/a.png": "map"])
    let hash = try folder.dataset().sha256()
    try folder.write("mop", to: "masks/a.png")
    try #expect(folder.dataset().sha256() != hash)
    let copy = try DatasetFolder(["images/a.jpg": "one", "masks/a.png": "map"])
    try #expect(copy.dataset().sha256() == hash)
  }

  @Test func `cancelling a hash is an error`() throws {
    let error = #expect(throws: TensorIOError.self) { try dataset.sha256(until: { true }) }
    #expect(error?.code == .cancelled)
  }
}
