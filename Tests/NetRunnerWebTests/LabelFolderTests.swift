// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import NetRunner
import TensorIO
import Testing

@testable import NetRunnerWeb

@Suite struct LabelFolderTests {
  private let data: TestFolder
  private let images: [[UInt8]]

  init() throws {
    data = try TestFolder()
    images = try ["digit-7-01.png", "digit-6-01.png"].map { try WebFixture.image($0) }
  }

  private func open() throws -> LabelFolder {
    try LabelFolder(data.path + "/labels", for: "digits")
  }

  private func shapes(_ count: Int) -> ImageShapes {
    let shape = LabelledShape(label: "one", outline: .box([1, 1, 5, 5]))
    return ImageShapes(width: 128, height: 128, shapes: Array(repeating: shape, count: count))
  }

  @Test func `a replaced photo loses its label, even if the new label can't be stored`() throws {
    let folder = try open()
    try folder.set(.text("seven"), of: "a.png", images[0])
    try folder.set(shapes(1), of: "a.png")
    #expect(try folder.labels.map(\.path) == ["a.png"])
    // The store refuses this label after the photo was written, as it does on a full disk.
    #expect(throws: TensorIOError.self) {
      try folder.set(.numbers([.nan]), of: "a.png", images[1])
    }
    #expect(try folder.photo("a.png").map { Array($0) } == images[1])
    #expect(try folder.labels.isEmpty)
    #expect(folder.annotated.isEmpty)
  }

  @Test func `a label that can't be stored leaves the old one of the same photo`() throws {
    let folder = try open()
    try folder.set(.text("seven"), of: "a.png", images[0])
    try folder.set(shapes(1), of: "a.png")
    #expect(throws: TensorIOError.self) {
      try folder.set(.numbers([.nan]), of: "a.png", images[0])
    }
    #expect(try folder.labels.map(\.path) == ["a.png"])
    #expect(folder.annotated.count == 1)
  }

  @Test func `names that only look the same are different photos`() throws {
    // An e with an accent as one character, and as two.
    let names = ["caf\u{E9}.png", "cafe\u{301}.png"]
    do {
      let folder = try open()
      for (index, name) in names.enumerated() {
        try folder.keep(images[index], as: name)
        try folder.set(shapes(index + 1), of: name)
      }
      #expect(folder.annotated.map(\.count).sorted() == [1, 2])
    }
    // They are also read like that after a restart.
    let folder = try open()
    #expect(folder.annotated.map(\.count).sorted() == [1, 2])
    for (index, name) in names.enumerated() {
      #expect(try folder.shapes(of: name)?.shapes.count == index + 1)
    }
    try folder.set(.text("seven"), of: names[0], images[0])
    // The other photo has no label, so it is deleted with its shapes.
    #expect(try folder.removeShapes(names[1]))
    #expect(try folder.photo(names[1]) == nil)
    #expect(try folder.photo(names[0]) != nil)
    #expect(folder.annotated.map(\.count) == [1])
    #expect(try folder.removeShapes(names[0]))
    #expect(try !folder.removeShapes(names[0]))
    #expect(try folder.photo(names[0]) != nil)
  }
}
#endif
