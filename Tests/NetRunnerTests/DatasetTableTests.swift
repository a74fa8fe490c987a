// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import TestSupport
import Testing

@testable import NetRunner

/// Tests tables of paths and labels.
@Suite struct DatasetTableTests {
  private func read(_ text: String) throws -> Dataset {
    try DatasetFolder(["t.csv": text]).dataset("t.csv")
  }

  private func message(_ text: String) throws -> String {
    let error = #expect(throws: TensorIOError.self) { try read(text) }
    return error?.message ?? ""
  }

  @Test(arguments: [
    "path,label\na.jpg,cat\nb.jpg,dog\n",
    "a.jpg,cat\nb.jpg,dog",
    "\u{FEFF}File;Class\r\na.jpg;cat\r\nb.jpg;dog\r\n",
    "label\tfilename\ncat\ta.jpg\n\ndog\tb.jpg\n\n",
    "path,label\ra.jpg,cat\rb.jpg,dog\r",
    " path , label \n a.jpg , cat \n\"b.jpg\" , \"dog\" ",
    "img_name,kind\na.jpg,cat\nb.jpg,dog\n",
    "id,path,label\n1,a.jpg,cat\n2,b.jpg,dog\n",
  ])
  func `headers, delimiters and line endings are detected`(_ text: String) throws {
    let dataset = try read(text)
    #expect(dataset.layout == .csv)
    #expect(dataset.ids == ["a.jpg", "b.jpg"])
    #expect(dataset.truths == [.label("cat"), .label("dog")])
  }

  @Test func `quoted fields keep delimiters, quotes, spaces and line endings`() throws {
    let folder = try DatasetFolder([
      "sub/t.csv": "path,label\n\"a, \"\"b\"\"\nc.jpg\",\" x \"\nd é 漢.jpg,\"\"\n"
    ])
    let dataset = try folder.dataset("sub/t.csv")
    #expect(dataset.ids == ["a, \"b\"\nc.jpg", "d é 漢.jpg"])
    #expect(dataset.truths == [.label(" x "), nil])
    #expect(dataset.samples[1].source.id == folder.path + "/sub/d é 漢.jpg")
    #expect(dataset.notes.contains("1 image without a label"))
  }

  @Test(arguments: [
    ("path,label\na.jpg,1\nb.jpg,2", [GroundTruth.label("1"), .label("2")]),
    ("a.jpg,1\nb.jpg,2", [.label("1"), .label("2")]),
    ("path,label\na.jpg,007\nb.jpg,x", [.label("007"), .label("x")]),
    ("path,target\na.jpg,1\nb.jpg,2.5", [.values([1]), .values([2.5])]),
    ("path,age\na.jpg,1\nb.jpg,2", [.values([1]), .values([2])]),
    ("path,age\na.jpg,1\nb.jpg,", [.values([1]), nil]),
    ("path,x,y\na.jpg,1,-2e3\nb.jpg,,", [.values([1, -2000]), nil]),
    ("a.jpg,1,2\nb.jpg,3,4", [.values([1, 2]), .values([3, 4])]),
    ("path,label,x\na.jpg,cat,1\nb.jpg,dog,2", [.label("cat"), .label("dog")]),
    ("path\na.jpg\nb.jpg", [nil, nil]),
    ("a.jpg\nb.jpg", [nil, nil]),
    ("path,label\na.jpg,nan\nb.jpg,1", [.label("nan"), .label("1")]),
  ])
  func `numbers are read as classes or values`(_ text: String, _ truths: [GroundTruth?]) throws {
    try #expect(read(text).truths == truths)
  }

  @Test(arguments: [
    ("", "no rows"),
    ("path,label\n", "a header but no rows"),
    ("path,label\na.jpg,cat\nb.jpg\n", "line 3: 1 cell, but line 1 has 2"),
    ("path,label\na.jpg,cat,x\n", "line 2: 3 cells, but line 1 has 2"),
    ("path,label\na.jpg,\"cat\nb.jpg,dog\n", "line 2: the quote that opens here is never closed"),
    ("path,label\n\"a\n.jpg\",cat\nb.jpg,\"d\"og\n", "line 4: text follows a closing quote"),
    ("path,label\na.jpg,c\"at\n", "line 2: an unquoted cell contains a quote"),
    ("path,label\na.jpg,cat\n\na.jpg,dog\n", "line 4: 'a.jpg' is already on line 2"),
    ("path,label\n,cat\n", "line 2: the path is empty"),
    ("path,x,y\na.jpg,1,\nb.jpg,1,2\n", "line 2: 'y' needs a finite number, got ''"),
    ("path,x,y\na.jpg,1,1e999\n", "name that column 'label'"),
    ("path,x,y\na.jpg,1,word\n", "it isn't clear which of 'x', 'y' is the label"),
    ("path,label,class\na.jpg,1,word\n", "'label', 'class' could both be the label"),
    ("path,file\na.jpg,b.jpg\n", "could both be the path"),
    ("path,label\na\0.jpg,cat\n", "line 2: a cell has a zero byte"),
  ])
  func `errors name the line`(_ text: String, _ expected: String) throws {
    let message = try message(text)
    #expect(message.contains(expected), "\(message)")
  }

  @Test func `other encodings are rejected`() throws {
    let folder = try DatasetFolder()
    try folder.write([0xFF, 0xFE, 0x61, 0], to: "utf16.csv")
    try folder.write(Array("a.jpg,".utf8) + [0xE9], to: "latin1.csv")
    for file in ["utf16.csv", "latin1.csv"] {
      let error = #expect(throws: TensorIOError.self) { try folder.dataset(file) }
      #expect(error?.message.contains("UTF-8") == true)
    }
  }

  @Test func `paths are relative to the table or to a given folder, or absolute`() throws {
    let folder = try DatasetFolder([
      "t.csv": "path,label\na.jpg,1\n/abs/b.jpg,2\nhttps://example.org/c.jpg,3\n"
    ])
    let dataset = try folder.dataset("t.csv", options: DatasetOptions(imagesFolder: "/photos"))
    #expect(
      dataset.samples.map(\.source.id) == [
        "/photos/a.jpg", "/abs/b.jpg", "https://example.org/c.jpg",
      ])
    #expect(dataset.samples.map(\.source.kind) == ["file", "file", "url"])
  }

  @Test func `the time to read rows grows linearly with their number`() throws {
    let ratio = try processorTimeRatio(
      below: 30, of: { try secondsToRead(100_000) }, to: { try secondsToRead(10_000) })
    #expect(ratio < 30)
  }

  /// The processor time for a number of rows.
  private func secondsToRead(_ count: Int) throws -> Double {
    var text = "path,label\n"
    for index in 0..<count { text += "images/\(index).jpg,class \(index % 100)\n" }
    let folder = try DatasetFolder(["t.csv": text])
    return try processorSeconds {
      try #expect(folder.dataset("t.csv").samples.count == count)
    }
  }

  private static let damageable = """
    path;label;"note; x"
    "images/a ""1"".jpg";"rocking chair";3
    images/b.jpg;zebra ö;"more
    lines"
    images/c.jpg;cat;5\r
    images/d.jpg;dog;
    """

  @Test(arguments: 0..<200)
  func `a damaged table gives an error or a dataset`(_ number: Int) throws {
    let folder = try DatasetFolder()
    try folder.write(damagedCopy(Self.damageable, number), to: "t.csv")
    do {
      let dataset = try folder.dataset("t.csv")
      #expect(Set(dataset.ids).count == dataset.samples.count)
    } catch let error as TensorIOError {
      #expect(error.message.contains("t.csv"))
    }
  }
}
