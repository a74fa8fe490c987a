// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import Testing

@testable import ModelRepositoryAPI

@Suite struct DocumentTimesTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private static let day = 24 * 3600.0

  @Test(
    arguments: [
      (0.0, 30 * day, nil), (-30 * day, 1, nil), (3600, 7200, nil), (0, 400 * day, nil),
      (3601, 7200, "not_yet_valid"), (3650 * day, 3680 * day, "not_yet_valid"),
      (-30 * day, 0, "expired"), (-30 * day, -1, "expired"),
      (0, 401 * day, "invalid_document"), (-day, 3650 * day, "invalid_document"),
    ] as [(Double, Double, String?)])
  func `documents from the future and those that expire too late are rejected`(
    issued: Double, expires: Double, code: String?
  ) {
    let times = DocumentTimes(issued: Self.now + issued, expires: Self.now + expires)
    var found: RepositoryError?
    do {
      try times.check(at: Self.now, "The document of channel 'stable'")
    } catch {
      found = error as? RepositoryError
    }
    #expect(found?.code.rawValue == code)
    if let found { #expect(found.message.hasPrefix("The document of channel 'stable' ")) }
  }
}
#endif
