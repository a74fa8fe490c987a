// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import Files
import Foundation
import TensorIO
import Testing

@testable import NetRunner

/// Tests folders of images, of classes and of class maps.
@Suite struct DatasetFolderTests {
  @Test func `a plain folder has all images in the byte order of their paths`() throws {
    let folder = try DatasetFolder([
      "b.jpg": "", "B.JPEG": "", "a 'q\"\n.png": "", "ä.webp": "", "z.bmp": "", "notes.txt": "",
      ".hidden.jpg": "", "__MACOSX/x.jpg": "", "jpg": "", ".jpg": "", "sub/.git/x.jpg": "",
      "sub/deep/c.PNG": "",
    ])
    let dataset = try folder.dataset()
    #expect(dataset.layout == .folder)
    #expect(
      dataset.ids == ["B.JPEG", "a 'q\"\n.png", "b.jpg", "sub/deep/c.PNG", "z.bmp", "ä.webp"])
    #expect(dataset.truths.allSatisfy { $0 == nil })
    #expect(dataset.samples[3].source.id == folder.path + "/sub/deep/c.PNG")
    #expect(dataset.notes.first == "read as a folder of images without labels: 6 images")
    #expect(dataset.name == FileSystem.name(of: folder.path))
  }

  @Test func `links to images are followed anywhere, and links to folders are noted`()
    throws
  {
    let outside = try DatasetFolder(["x.jpg": "", "deep/y.jpg": "", "notes.txt": ""])
    let folder = try DatasetFolder(["a.jpg": "", "sub/b.jpg": ""])
    try folder.link("inside.jpg", to: "sub/b.jpg")
    try folder.link("outside.jpg", to: outside.path + "/x.jpg")
    try folder.link("twice.jpg", to: "outside.jpg")
    try folder.link("named.png", to: outside.path + "/notes.txt")
    try folder.link("nowhere.jpg", to: "nothing.jpg")
    try folder.link("sub/round", to: folder.path)
    try folder.link("folder", to: outside.path + "/deep")
    try folder.link("itself.jpg", to: "itself.jpg")
    let dataset = try folder.dataset()
    let ids = ["a.jpg", "inside.jpg", "named.png", "outside.jpg", "sub/b.jpg", "twice.jpg"]
    #expect(dataset.ids == ids)
    #expect(
      dataset.notes.contains {
        $0.hasPrefix("left out: 2 links that lead nowhere (the first is 'itself.jpg'")
      })
    #expect(dataset.notes.contains { $0.contains("2 links to folders") })
    #expect(try Dataset(images: [folder.path]).ids == ids.map { folder.path + "/" + $0 })
    try folder.link("../\(FileSystem.name(of: outside.path))/self", to: folder.path)
    try #expect(outside.dataset("self").ids == dataset.ids)
  }

  @Test func `a folder of links has images, and broken links are reported`() throws {
    let outside = try DatasetFolder(["x.jpg": "", "y.png": ""])
    let links = try DatasetFolder()
    try links.link("1.jpg", to: outside.path + "/x.jpg")
    try links.link("2.png", to: outside.path + "/y.png")
    try #expect(links.dataset().ids == ["1.jpg", "2.png"])
    let broken = try DatasetFolder()
    try broken.link("1.jpg", to: outside.path + "/gone.jpg")
    for read in [{ try broken.dataset() }, { try Dataset(images: [broken.path]) }] {
      let error = #expect(throws: TensorIOError.self) { try read() }
      #expect(error?.message.contains("1 link that leads nowhere ('1.jpg')") == true)
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `pipes and devices with an image's name are omitted`() throws {
    let folder = try DatasetFolder(["a.jpg": ""])
    #expect(mkfifo(folder.path + "/pipe.jpg", 0o600) == 0)
    try folder.link("linked.jpg", to: "pipe.jpg")
    try folder.link("zero.png", to: "/dev/zero")
    let dataset = try folder.dataset()
    #expect(dataset.ids == ["a.jpg"])
    #expect(dataset.notes.contains { $0.contains("3 files that are pipes or devices") })
  }

  @Test func `links out of an enclosing folder are omitted`() throws {
    let outside = try DatasetFolder(["x.jpg": ""])
    let folder = try DatasetFolder(["a.jpg": "", "sub/b.jpg": ""])
    try folder.link("inside.jpg", to: "sub/b.jpg")
    try folder.link("outside.jpg", to: outside.path + "/x.jpg")
    var options = DatasetOptions()
    options.confinedFolder = ConfinedFolder(folder.path)
    let dataset = try folder.dataset(options: options)
    #expect(dataset.ids == ["a.jpg", "inside.jpg", "sub/b.jpg"])
    #expect(dataset.notes.contains { $0.contains("1 link that leads out of the folder") })
  }

  @Test func `folders for classes give labels`() throws {
    let folder = try DatasetFolder([
      "zebra/2.jpg": "", "zebra/1.jpg": "", "rocking chair/more/x.png": "", "empty/readme.txt": "",
    ])
    let dataset = try folder.dataset()
    #expect(dataset.layout == .classFolders)
    #expect(dataset.ids == ["rocking chair/more/x.png", "zebra/1.jpg", "zebra/2.jpg"])
    #expect(dataset.truths == [.label("rocking chair"), .label("zebra"), .label("zebra")])
    #expect(dataset.notes.first == "read as one folder per class: 2 classes, 3 images")
    #expect(dataset.notes.contains { $0.contains("'empty'") })
  }

  @Test func `folders of a dataset's parts aren't mistaken for classes`() throws {
    let folder = try DatasetFolder([
      "train/cat/1.jpg": "", "val/cat/2.jpg": "", "val/dog/3.jpg": "",
    ])
    let error = #expect(throws: TensorIOError.self) { try folder.dataset() }
    #expect(error?.message.contains("'train', 'val'") == true)
    #expect(error?.message.contains("\(folder.path)/val'") == true)
    try #expect(folder.dataset("val").truths == [.label("cat"), .label("dog")])
    try #expect(
      folder.dataset(layout: .classFolders).truths == [
        .label("train"), .label("val"), .label("val"),
      ])
  }

  @Test func `a folder that may contain classes or images is noted`() throws {
    let single = try DatasetFolder(["only/a.jpg": ""]).dataset()
    #expect(single.layout == .folder)
    #expect(single.notes.contains { $0.contains("single sub-folder") })
    let mixed = try DatasetFolder(["a.jpg": "", "cat/b.jpg": "", "dog/c.jpg": ""])
    try #expect(mixed.dataset().layout == .folder)
    try #expect(mixed.dataset().notes.contains { $0.contains("not as classes") })
    let classes = try mixed.dataset(layout: .classFolders)
    #expect(classes.truths == [.label("cat"), .label("dog")])
    #expect(classes.notes.contains("left out: 1 image outside the class folders"))
  }

  @Test func `a folder without images is an error`() throws {
    let folder = try DatasetFolder(["readme.txt": ""])
    for layout in [nil, Dataset.Layout.folder, .classFolders, .classMaps] {
      let error = #expect(throws: TensorIOError.self) { try folder.dataset(layout: layout) }
      #expect(error?.message.contains(folder.path) == true)
    }
    let missing = #expect(throws: TensorIOError.self) { try folder.dataset("missing") }
    #expect(missing?.code == .fileNotFound)
  }

  @Test func `images and class maps are matched by name`() throws {
    let folder = try DatasetFolder([
      "images/a.jpg": "", "images/sub/b.jpg": "", "images/c.jpg": "", "masks/a.png": "",
      "masks/sub/b.bmp": "", "masks/x.png": "", "masks/c.jpg": "",
    ])
    let dataset = try folder.dataset()
    #expect(dataset.layout == .classMaps)
    #expect(dataset.ids == ["images/a.jpg", "images/c.jpg", "images/sub/b.jpg"])
    #expect(
      dataset.truths == [
        .classMap(folder.path + "/masks/a.png"), nil,
        .classMap(folder.path + "/masks/sub/b.bmp"),
      ])
    #expect(dataset.notes.contains("1 image without a map"))
    #expect(dataset.notes.contains("1 map without an image"))
    #expect(dataset.notes.contains("left out: 1 map in JPEG or WebP"))
  }

  @Test func `class maps without a matching image are an error`() throws {
    let lossy = try DatasetFolder(["images/a.jpg": "", "annotations/a.jpg": ""])
    let error = #expect(throws: TensorIOError.self) { try lossy.dataset() }
    #expect(error?.message.contains("JPEG") == true)
    let other = try DatasetFolder(["images/a.jpg": "", "masks/a_mask.png": ""])
    #expect(throws: TensorIOError.self) { try other.dataset() }
    let twice = try DatasetFolder(["images/a.jpg": "", "images/a.png": "", "masks/a.png": ""])
    #expect(throws: TensorIOError.self) { try twice.dataset() }
    // Annotations that aren't images don't count as class maps.
    let boxes = try DatasetFolder(["images/a.jpg": "", "annotations/a.json": ""])
    try #expect(boxes.dataset().layout == .folder)
  }

  @Test func `a single image and a list of images are datasets too`() throws {
    let folder = try DatasetFolder(["a b.jpg": "", "album/c.png": "", "album/d.jpg": ""])
    try #expect(folder.dataset("a b.jpg").ids == ["a b.jpg"])
    let list = try Dataset(images: [
      folder.path + "/missing.jpg", folder.path + "/album", "https://example.org/e.jpg",
      folder.path + "/album/d.jpg",
    ])
    #expect(
      list.ids == [
        folder.path + "/missing.jpg", folder.path + "/album/c.png", folder.path + "/album/d.jpg",
        "https://example.org/e.jpg",
      ])
    #expect(list.notes == ["left out: 1 repeated path"])
    #expect(throws: TensorIOError.self) { try Dataset(images: []) }
  }

  @Test func `names that only look the same are different files`() throws {
    // A dictionary of both names would be of one.
    let folder = try DatasetFolder(["\u{E9}.jpg": ""])
    try Data().write(to: URL(filePath: folder.path + "/e\u{301}.jpg"))
    let list = try Dataset(images: [folder.path])
    #expect(list.samples.count == 2 && list.notes.isEmpty)
  }

  @Test func `for a layout that doesn't fit, the error names the path`() throws {
    let folder = try DatasetFolder(["a.jpg": "", "x.dat": ""])
    for (file, layout) in [
      ("", Dataset.Layout.csv), ("", .coco), ("a.jpg", .classFolders), ("a.jpg", .classMaps),
      ("a.jpg", .testBundle), ("x.dat", nil),
    ] as [(String, Dataset.Layout?)] {
      let error = #expect(throws: TensorIOError.self) { try folder.dataset(file, layout: layout) }
      #expect(error?.message.contains(folder.path) == true)
    }
  }
}

@Suite struct ConfinedFolderTests {
  @Test func `files that are outside or missing have no path`() throws {
    let folder = try DatasetFolder(["in/a.png": "", "in-other/b.png": ""])
    try folder.link("in/out", to: folder.path + "/in-other")
    try folder.link("in/again", to: "a.png")
    let confinedFolder = try #require(ConfinedFolder(folder.path + "/in"))
    let real = try #require(FileOperations.realPath(folder.path))
    #expect(confinedFolder.confinedPath(of: folder.path + "/in/a.png") == real + "/in/a.png")
    #expect(confinedFolder.confinedPath(of: folder.path + "/in/again") == real + "/in/a.png")
    #expect(confinedFolder.confinedPath(of: folder.path + "/in") == real + "/in")
    for path in ["/in/out", "/in/out/b.png", "/in/../in-other/b.png", "/in-other", "/in/gone", ""] {
      #expect(confinedFolder.confinedPath(of: folder.path + path) == nil, "\(path)")
    }
    #expect(confinedFolder.confinedPath(of: "/etc/passwd") == nil)
    #expect(ConfinedFolder(folder.path + "/in/a.png") == nil)
    #expect(ConfinedFolder(folder.path + "/gone") == nil)
  }

  @Test func `an error can show paths relative to the folder`() throws {
    let folder = try DatasetFolder(["in/list.csv": ""])
    let confinedFolder = try #require(ConfinedFolder(folder.path + "/in", named: "photos"))
    var options = DatasetOptions()
    options.confinedFolder = confinedFolder
    let error = #expect(throws: TensorIOError.self) {
      try Dataset(contentsOf: confinedFolder.path + "/list.csv", options: options)
    }
    let shown = error?.naming(confinedFolder.shown).message
    #expect(shown?.hasPrefix("'list.csv' has no rows.") == true)
    #expect(confinedFolder.shown(confinedFolder.path) == "photos")
    #expect(confinedFolder.shown("/elsewhere/x.png") == "x.png")
  }

  @Test func `images outside are rejected, and their bytes don't change the hash`() throws {
    let folder = try DatasetFolder([
      "in/a.png": "a", "secret.png": "one", "in/list.csv": "a.png\n../secret.png\n/etc/passwd\n",
    ])
    var options = DatasetOptions()
    options.confinedFolder = ConfinedFolder(folder.path + "/in")
    let dataset = try folder.dataset("in/list.csv", options: options)
    #expect(dataset.ids == ["a.png", "../secret.png", "/etc/passwd"])
    for sample in dataset.samples.dropFirst() {
      guard case .refused(let reason, let name) = sample.source else {
        Issue.record("\(sample.id) was read")
        continue
      }
      #expect(name == sample.id)
      #expect(reason.contains("'\(sample.id)'"))
    }
    let hash = try dataset.sha256()
    try folder.write("two", to: "secret.png")
    #expect(try folder.dataset("in/list.csv", options: options).sha256() == hash)
    #expect(throws: TensorIOError.self) { try folder.dataset("secret.png", options: options) }
  }
}
