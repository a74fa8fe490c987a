// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import TensorIO
import TestSupport
import Testing

/// The server with a browser.
///
/// This is a suite of its own, because the tests of such a suite run one after another.
@Suite(
  .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set; see Tools/requirements.txt."))
struct NetRunnerPageTests {
  @Test(arguments: PageSize.allCases)
  func `the page labels, previews, imports, evaluates and exports in a browser`(
    size: PageSize
  ) async throws {
    let server = try RunningServer(["--allow-private-imports"])
    let seen = try await size.use("browse.py", [server.address])
    if case .number(let seconds)? = seen["label_after"] {
      // An idle machine needs a second. This test runs beside others.
      #expect(seconds < 20, "the label appeared after \(seconds) s")
    } else {
      Issue.record("The page doesn't show a label: \(seen)")
    }
    for what in [
      "previews", "flips", "keeps_the_camera", "flips_by_swipe", "pauses", "resumes",
      "label_of_other_model",
      "import_is_followed", "imports", "evaluates", "exports", "says_what_shipped_models_read",
      "says_it_no_more", "opens_on_a_sample", "says_what_it_can_do", "says_it_once",
      "uses_the_camera", "shows_the_age", "imports_another_meanwhile",
    ] {
      #expect(seen[what] == .bool(true), "\(what): \(seen)")
    }
    #expect(seen["axe"] == .array([]))
    #expect(seen["console"] == .array([]))
  }

  @Test(arguments: PageSize.allCases)
  func `the page's image sources, models, labels and settings work in a browser`(
    size: PageSize
  ) async throws {
    let server = try RunningServer()
    let members = try await size.use("browse_rest.py", [server.address])
    for (what, value) in members where !["axe", "console"].contains(what) {
      #expect(value == .bool(true), "\(what)")
    }
    #expect(members.count == 36)
    #expect(members["axe"] == .array([]))
    #expect(members["console"] == .array([]))
  }

  @Test(arguments: PageSize.allCases)
  func `the page imports and updates a model from a repository`(size: PageSize) async throws {
    let repository = try await RunningRepository()
    let folder = try TemporaryFolder()
    let server = try RunningServer([
      "--repository", repository.address, "--repository-key", repository.key,
    ])
    for (version, demo, action, name) in [
      ("1.0", "digits", "Import", "Import numbers 1.0"),
      ("2.0", "digits-int8", "Update", "Update numbers from 1.0 to 2.0"),
    ] {
      let bundle = "\(folder.path)/\(version)/hosted.tiobundle"
      try FileManager.default.createDirectory(
        atPath: "\(folder.path)/\(version)", withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        atPath: "\(CommandRunner.packageFolder.path)/Demo/\(demo).tiobundle", toPath: bundle)
      let json = String(decoding: try FileSystem.read(bundle + "/model.json"), as: UTF8.self)
      try json.replacing("\"id\": \"\(demo)\"", with: "\"id\": \"hosted\"")
        .write(toFile: bundle + "/model.json", atomically: true, encoding: .utf8)
      try await repository.run(
        "push", bundle, "--model", "numbers", "--as", version, "--channel", "stable")
      let members = try await size.use(
        "browse_repository.py", [server.address, "numbers"])
      for what in [
        "is_shown", "is_reached_by_tab", "imports", "tells_progress", "has_no_button",
        "keeps_focus", "is_a_model",
      ] {
        #expect(members[what] == .bool(true), "\(what): \(members)")
      }
      #expect(members["region"] == .array([.string("region"), .string("From the repository")]))
      #expect(members["button"] == .array([.string(action), .string(name)]))
      #expect(members["place"] == .string("\(repository.address), channel stable"))
      #expect(
        members["origin"]
          == .string("numbers \(version), channel stable of \(repository.address)"))
      #expect(members["axe"] == .array([]))
      #expect(members["console"] == .array([]))
    }
  }
}
#endif
