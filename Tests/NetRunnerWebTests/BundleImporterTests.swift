// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import NetRunner
import Synchronization
import TensorIO
import TestSupport
import Testing

@testable import NetRunnerWeb

@Suite struct BundleImporterTests {
  @Test func `a bundle is imported into the models folder`() throws {
    let sandbox = try ImportSandbox()
    try sandbox.zipDemo()
    let importer = BundleImporter(folder: sandbox.models)
    var seen: [String] = []
    let bundle = try importer.importBundle(
      fromZip: sandbox.zip, check: { seen.append($0.manifest.id) })
    #expect(seen == ["digits"])
    #expect(bundle.path == sandbox.models + "/digits.tiobundle")
    #expect(bundle.manifest.name == "Digits")
    try #expect(sandbox.contents == ImportSandbox.imported())
    try #expect(ModelLibrary(scanning: sandbox.models).bundles.count == 1)
    #expect(FileSystem.isFile(sandbox.zip))
  }

  @Test func `a model is replaced completely, and only on request`() throws {
    let sandbox = try ImportSandbox()
    let importer = BundleImporter(folder: sandbox.models)
    try sandbox.zipDemo()
    try importer.importBundle(fromZip: sandbox.zip)
    try sandbox.root.write("old", to: "models/digits.tiobundle/assets/old.txt")
    try sandbox.zipDemo { $0.replacing("\"Digits\"", with: "\"Digits, again\"") }
    let error = #expect(throws: ImportError.self) {
      try importer.importBundle(
        fromZip: sandbox.zip, check: { _ in Issue.record("The model is checked needlessly.") })
    }
    #expect(error?.code == .sameID)
    #expect(error?.message.contains("'Digits', version") == true, "\(error?.message ?? "")")
    #expect(FileSystem.isFile(sandbox.models + "/digits.tiobundle/assets/old.txt"))
    let bundle = try importer.importBundle(fromZip: sandbox.zip, replaces: true)
    #expect(bundle.manifest.name == "Digits, again")
    try #expect(sandbox.contents == ImportSandbox.imported())
  }

  @Test(arguments: ["digits.tiobundle", "Digits.tiobundle"])
  func `a different model in a folder of the same name is kept`(_ name: String) throws {
    let sandbox = try ImportSandbox()
    let importer = BundleImporter(folder: sandbox.models)
    try sandbox.zipDemo()
    try importer.importBundle(fromZip: sandbox.zip)
    try sandbox.zipDemo(as: name) {
      $0.replacing("\"id\": \"digits\"", with: "\"id\": \"an/other\"")
    }
    for replaces in [false, true] {
      let bundle = try importer.importBundle(fromZip: sandbox.zip, replaces: replaces)
      #expect(FileSystem.name(of: bundle.path) == "an-other.tiobundle")
      try #expect(
        sandbox.contents
          == ImportSandbox.imported("an-other.tiobundle") + ImportSandbox.imported())
      try FileManager.default.removeItem(atPath: bundle.path)
    }
  }

  @Test func `a folder that isn't a bundle isn't replaced either`() throws {
    let sandbox = try ImportSandbox()
    try sandbox.root.write("kept", to: "models/digits.tiobundle/kept.txt")
    try sandbox.root.write("kept", to: "models/digits-2.tiobundle")
    try sandbox.zipDemo()
    let bundle = try BundleImporter(folder: sandbox.models).importBundle(
      fromZip: sandbox.zip, replaces: true)
    #expect(FileSystem.name(of: bundle.path) == "digits-3.tiobundle")
    #expect(FileSystem.isFile(sandbox.models + "/digits.tiobundle/kept.txt"))
  }

  private final class Watch: Sendable {
    let counts = Mutex((looked: 0, missed: 0, isOver: false))
  }

  @Test func `a reader finds a bundle at any time while it's replaced`() throws {
    let sandbox = try ImportSandbox()
    try sandbox.zipDemo()
    let importer = BundleImporter(folder: sandbox.models)
    try importer.importBundle(fromZip: sandbox.zip)
    let file = sandbox.models + "/digits.tiobundle/model.json"
    let watch = Watch()
    // This needs its own thread, because tasks wait for each other.
    Thread.detachNewThread {
      while !watch.counts.withLock({ $0.isOver }) {
        let isThere = FileSystem.isFile(file)
        watch.counts.withLock { counts in
          counts.looked += 1
          if !isThere { counts.missed += 1 }
        }
      }
    }
    defer { watch.counts.withLock { $0.isOver = true } }
    for _ in 0..<50 { try importer.importBundle(fromZip: sandbox.zip, replaces: true) }
    let (looked, missed) = watch.counts.withLock { ($0.looked, $0.missed) }
    #expect(looked > 50 && missed == 0, "\(missed) of \(looked)")
    try #expect(sandbox.contents == ImportSandbox.imported())
  }

  @Test func `the former extension is accepted too`() throws {
    let sandbox = try ImportSandbox()
    try sandbox.zipDemo(as: "old.tfbundle")
    let bundle = try BundleImporter(folder: sandbox.models).importBundle(fromZip: sandbox.zip)
    #expect(bundle.warnings.contains { $0.code == .deprecatedExtension })
    try #expect(sandbox.contents == ImportSandbox.imported("old.tfbundle"))
  }

  @Test func `a shipped model's id can't be imported, but its folder's name can`() throws {
    let sandbox = try ImportSandbox()
    let importer = BundleImporter(folder: sandbox.models) { $0 == "digits" }
    try sandbox.zipDemo(as: "other.tiobundle")
    for replaces in [false, true] {
      let error = #expect(throws: ImportError.self) {
        try importer.importBundle(fromZip: sandbox.zip, replaces: replaces)
      }
      #expect(error?.code == .modelIsShipped)
    }
    try #expect(sandbox.contents == [])
    try sandbox.zipDemo { $0.replacing("\"id\": \"digits\"", with: "\"id\": \"other\"") }
    try importer.importBundle(fromZip: sandbox.zip)
    try #expect(sandbox.contents == ImportSandbox.imported())
  }

  @Test func `an identifier has only one folder`() throws {
    let sandbox = try ImportSandbox()
    let importer = BundleImporter(folder: sandbox.models)
    try sandbox.zipDemo()
    try importer.importBundle(fromZip: sandbox.zip)
    try sandbox.zipDemo(as: "other.tiobundle")
    let error = #expect(throws: ImportError.self) {
      try importer.importBundle(fromZip: sandbox.zip)
    }
    #expect(error?.code == .sameID)
    #expect(error?.message.contains("'Digits'") == true)
    try sandbox.zipDemo(as: "other.tiobundle") {
      $0.replacing("\"id\": \"digits\"", with: "\"id\": \"other\"")
    }
    try importer.importBundle(fromZip: sandbox.zip)
    try #expect(
      sandbox.contents
        == ImportSandbox.imported() + ImportSandbox.imported("other.tiobundle"))
  }

  @Test(arguments: [
    ("\"name\": \"Digits\",", "", "name"),
    ("\"model.tflite\"", "\"../../../etc/passwd\"", "a path inside the bundle"),
    ("\"model.tflite\"", "\"other.tflite\"", "model.tflite"),
    ("\"labels.txt\"", "\"../model.json\"", "assets/"),
    ("[1, 10]", "[1, 11]", "11 labels"),
    ("\"inputs\": [", "\"inputs\": [ nothing", "model.json"),
  ])
  func `for an invalid bundle, the error says what is wrong`(
    _ text: String, _ replacement: String, _ words: String
  ) throws {
    let sandbox = try ImportSandbox()
    try sandbox.root.write("kept", to: "models/digits.tiobundle/kept.txt")
    try sandbox.zipDemo { $0.replacing(text, with: replacement) }
    let error = #expect(throws: ImportError.self) {
      try BundleImporter(folder: sandbox.models).importBundle(fromZip: sandbox.zip)
    }
    #expect(error?.code == .invalidBundle)
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains(sandbox.root.path) == false)
    #expect(error?.message.contains("'digits.tiobundle'") == true)
    try #expect(
      sandbox.contents == ["models/digits.tiobundle", "models/digits.tiobundle/kept.txt"])
  }

  @Test func `a folder without a model isn't a bundle`() throws {
    let sandbox = try ImportSandbox()
    try sandbox.zip([("x.tiobundle/readme.txt", "x")])
    let error = #expect(throws: ImportError.self) {
      try BundleImporter(folder: sandbox.models).importBundle(fromZip: sandbox.zip)
    }
    #expect(error?.code == .invalidBundle)
    try #expect(sandbox.contents == [])
  }

  @Test func `a model with an image beside another input is rejected`() throws {
    let sandbox = try ImportSandbox()
    try sandbox.zipDemo {
      $0.replacing(
        "\"inputs\": [",
        with: "\"inputs\": [{\"name\": \"x\", \"type\": \"array\", \"shape\": [1]},")
    }
    let error = #expect(throws: ImportError.self) {
      try BundleImporter(folder: sandbox.models).importBundle(fromZip: sandbox.zip)
    }
    #expect(error?.code == .notAServedModel, "\(error?.message ?? "")")
    #expect(error?.message.contains("2 inputs") == true, "\(error?.message ?? "")")
    try #expect(sandbox.contents == [])
  }

  @Test(arguments: [
    (
      "\"shape\": [32, 32, 3],\n      \"format\": \"RGB\",",
      "\"shape\": [32, 32, 1],\n      \"format\": \"GRAY\","
    ),
    (
      """
      "type": "image",
            "shape": [32, 32, 3],
            "format": "RGB",
            "normalize": {
              "standard": "[0,1]"
            }
      """, "\"type\": \"array\", \"shape\": [32, 32, 3]"
    ),
  ])
  func `a model with gray images or numbers is accepted`(
    _ text: String, _ replacement: String
  ) throws {
    let sandbox = try ImportSandbox()
    try sandbox.zipDemo { $0.replacing(text, with: replacement) }
    let bundle = try BundleImporter(folder: sandbox.models).importBundle(fromZip: sandbox.zip)
    #expect(FileSystem.isFile(bundle.path + "/model.json"))
  }

  @Test func `a model with BGR images is accepted`() throws {
    let sandbox = try ImportSandbox()
    try sandbox.zipDemo { $0.replacing("\"RGB\"", with: "\"BGR\"") }
    try BundleImporter(folder: sandbox.models).importBundle(fromZip: sandbox.zip)
  }

  @Test func `the program's own check can reject a bundle`() throws {
    let sandbox = try ImportSandbox()
    try sandbox.zipDemo()
    let importer = BundleImporter(folder: sandbox.models)
    for (thrown, code): (any Error, ImportError.Code) in [
      (TensorIOError(.invalidModel, "The model has no operations."), .invalidBundle),
      (ImportError(.sameID, "There is one elsewhere."), .sameID),
      (CancellationError(), .cancelled),
    ] {
      let error = #expect(throws: ImportError.self) {
        try importer.importBundle(fromZip: sandbox.zip, check: { _ in throw thrown })
      }
      #expect(error?.code == code)
      try #expect(sandbox.contents == [])
    }
  }

  @Test func `an import can be cancelled`() throws {
    let sandbox = try ImportSandbox()
    try sandbox.zipDemo()
    let importer = BundleImporter(folder: sandbox.models)
    var isChecked = false
    let error = #expect(throws: ImportError.self) {
      try importer.importBundle(
        fromZip: sandbox.zip, check: { _ in isChecked = true }, until: { isChecked })
    }
    #expect(error?.code == .cancelled)
    try #expect(sandbox.contents == [])
  }

  @Test func `a missing models folder is an error`() throws {
    let sandbox = try ImportSandbox()
    try sandbox.zipDemo()
    let error = #expect(throws: ImportError.self) {
      try BundleImporter(folder: sandbox.models + "/no").importBundle(fromZip: sandbox.zip)
    }
    #expect(error?.code == .cannotWrite)
    #expect(throws: ImportError.self) {
      try BundleImporter(folder: sandbox.models + "/no").removeLeftovers()
    }
  }

  @Test func `the remains of a killed import are removed`() throws {
    let sandbox = try ImportSandbox()
    try sandbox.root.write("x", to: "models/.import-1/x.tiobundle/model.json")
    try sandbox.root.write("x", to: "models/x.tiobundle/model.json")
    try BundleImporter(folder: sandbox.models).removeLeftovers()
    try #expect(sandbox.contents == ["models/x.tiobundle", "models/x.tiobundle/model.json"])
  }

  @Test func `of simultaneous imports of one name, one remains`() async throws {
    let sandbox = try ImportSandbox()
    try sandbox.zipDemo()
    let (zip, models) = (sandbox.zip, sandbox.models)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<5 {
            try BundleImporter(folder: models).importBundle(fromZip: zip, replaces: true)
          }
        }
      }
      try await group.waitForAll()
    }
    try #expect(sandbox.contents == ImportSandbox.imported())
  }

  @Test(.enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set."))
  func `an attack doesn't change the existing models`() async throws {
    let sandbox = try ImportSandbox()
    try sandbox.zipDemo()
    let importer = BundleImporter(folder: sandbox.models)
    try importer.importBundle(fromZip: sandbox.zip)
    for kind in ["parent-within", "link-then-file", "says-less", "checksum", "cut"] {
      try await sandbox.attack(kind)
      #expect(throws: ImportError.self) { try importer.importBundle(fromZip: sandbox.zip) }
      try #expect(sandbox.contents == ImportSandbox.imported())
      try #expect(
        FileSystem.read(sandbox.models + "/digits.tiobundle/model.json")
          == FileSystem.read(ImportSandbox.demo + "/model.json"))
    }
  }

  @Test func `error codes are those of the page`() {
    let codes: [ImportError.Code] = [
      .notAZip, .damagedZip, .unsafeZip, .zipTooLarge, .noBundle, .severalBundles, .invalidBundle,
      .notAServedModel, .modelIsShipped, .sameID, .cancelled, .cannotWrite, .tooLarge, .replayed,
      .invalidURL, .addressNotAllowed, .notFound, .serverError, .connectionFailed, .timedOut,
    ]
    #expect(
      codes.map(\.rawValue) == [
        "not_a_zip", "damaged_zip", "unsafe_zip", "zip_too_large", "no_bundle", "several_bundles",
        "invalid_bundle", "not_a_vision_model", "model_is_shipped", "same_id", "cancelled",
        "cannot_write", "too_large", "replayed", "invalid_url", "address_not_allowed", "not_found",
        "server_error", "connection_failed", "timed_out",
      ])
  }
}
#endif
