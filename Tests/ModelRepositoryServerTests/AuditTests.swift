// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import HTTPTypes
import HummingbirdTesting
import ModelRepositoryAPI
import Testing

@testable import ModelRepositoryServer

/// Tests what the audit log records and how it is read.
@Suite struct AuditTests {
  @Test func `a change is recorded with the values before and after it`() async throws {
    let fixture = try await TestRepository()
    try await fixture.serve { client in
      try await client.publish("1.0")
      try await client.publish("2.0")
      let tag = try await client.set(to: "1.0", tag: nil)
      _ = try await client.set(to: "2.0", tag: tag)
      try await client.send(.post, "/v1/models/cats/versions/1.0/withdraw")
      let records = try await log(client)
      #expect(records[0].before == "available" && records[0].after == "withdrawn")
      #expect(records[1].before?.contains(#""version":"1.0""#) == true)
      #expect(records[1].after?.contains(#""version":"2.0""#) == true)
      #expect(records[2].before == nil)
    }
  }

  @Test func `rejected tokens are counted in a few records`() async throws {
    let fixture = try await TestRepository()
    try await fixture.serve { client in
      for _ in 0..<500 {
        try await client.with("x.y").send(.get, "/v1/models", expects: 401)
      }
      let records = try await log(client).filter { $0.action == AuditRecord.refusedToken }
      #expect(records.count == 2)
      #expect(records.last?.detail?.hasPrefix("1 request ") == true)
      #expect(records.first?.detail?.hasPrefix("499 requests ") == true)
      fixture.pass(700)
      try await client.with("x.y").send(.get, "/v1/models", expects: 401)
      #expect(
        try await log(client).filter { $0.action == AuditRecord.refusedToken }.count == 3)
    }
  }

  @Test func `the log is read by time and in pages, even while a server runs`() async throws {
    let fixture = try await TestRepository()
    try await fixture.serve { client in
      try await client.publish("1.0")
      fixture.pass(3600)
      try await client.publish("2.0")
      let since = fixture.now.formatted(.iso8601)
      let recent = try await log(client, "?since=\(since)")
      #expect(recent.contains { $0.subject == "cats/2.0" })
      #expect(!recent.contains { $0.subject == "cats/1.0" })
      try await client.send(.get, "/v1/audit?since=yesterday", expects: 400)
      let all = try await log(client)
      let page = try await log(client, "?before=\(all[1].id)&limit=2")
      #expect(page == Array(all[2...3]))
      #expect(try await RepositoryStore.auditLog(fixture.folder) == all)
    }
  }

  private func log(_ client: TestClient, _ query: String = "") async throws -> [AuditRecord] {
    try await client.send(.get, "/v1/audit\(query)").decoded(AuditLog.self).records
  }
}
#endif
