// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import ModelRepositoryAPI
import TestSupport
import Testing

@Suite struct AssignmentTests {
  private static let installations = (0..<10_000).map { "installation-\($0)" }

  private static func members(_ threshold: Int, salt: String = "spring") -> Set<String> {
    Set(installations.filter { RolloutBucket.number(of: $0, salt: salt) < threshold })
  }

  @Test func `a 20% rollout reaches a fifth of installations, and a ramp keeps them`() {
    let fifth = Self.members(2000)
    // Five standard deviations of a binomial distribution.
    #expect(abs(fifth.count - 2000) < 200, "\(fifth.count)")
    #expect(fifth.isSubset(of: Self.members(4000)))
    #expect(Self.members(0).isEmpty)
    #expect(Self.members(10_000).count == 10_000)
  }

  @Test func `another salt assigns different buckets`() {
    let both = Self.members(5000).intersection(Self.members(5000, salt: "autumn"))
    #expect(abs(both.count - 2500) < 250, "\(both.count)")
  }

  @Test func `arms get their own releases and parameters, all others get the channel's`() {
    let document = Samples.document(experiment: Samples.experiment(("a", 3000), ("b", 6000)))
    var counts: [String: Int] = [:]
    for installation in Self.installations {
      let assignment = document.assignment(for: installation)
      counts[assignment.arm?.text ?? "", default: 0] += 1
      switch assignment.arm?.text {
      case "a"?:
        #expect(assignment.release?.version.text == "2.0")
        #expect(assignment.parameters == ["threshold": "0.6", "color": "red"])
      case "b"?: #expect(assignment.release?.version.text == "2.1")
      default:
        #expect(assignment.release?.version.text == "1.0")
        #expect(assignment.parameters == ["threshold": "0.5", "color": "red"])
      }
    }
    for (arm, share) in ["a": 3000, "b": 3000, "": 4000] {
      #expect(abs(counts[arm, default: 0] - share) < 250, "\(counts)")
    }
  }

  @Test func `no installation joins or leaves a paused rollout`() {
    let document = Samples.document(
      experiment: Samples.experiment(("rollout", 10_000), isPaused: true))
    let new = Samples.release("2.0", 2)
    #expect(document.assignment(for: "x").release?.version.text == "1.0")
    let having = document.assignment(for: "x", having: [new.manifest.digest])
    #expect(having.release == new)
  }

  @Test(
    .enabled(if: Python.path != nil, "TENSORIO_PYTHON isn't set."))
  func `Python computes the same buckets`() async throws {
    let ids = Self.installations.prefix(1000) + ["", "ü|ß", "a|b", "\u{1F600}"]
    let theirs = try await Python.run(
      ["Tools/peers/repository.py", "buckets", "spring"],
      input: Data(ids.map { $0 + "\n" }.joined().utf8))
    let ours = ids.map { RolloutBucket.number(of: $0, salt: "spring") }
    #expect(theirs.split(separator: "\n").map { Int($0) } == ours)
  }
}
#endif
