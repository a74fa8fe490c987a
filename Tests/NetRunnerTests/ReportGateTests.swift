// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO
import Testing

@testable import NetRunner

@Suite struct ReportGateTests {
  @Test(arguments: [
    ("top1=0.7", Gate(name: "top1", relation: .atLeastAsGood, bound: 0.7)),
    (" top1 >= 0.7 ", Gate(name: "top1", relation: .atLeast, bound: 0.7)),
    ("log_loss<=3e-1", Gate(name: "log_loss", relation: .atMost, bound: 0.3)),
    ("x>=-1", Gate(name: "x", relation: .atLeast, bound: -1)),
  ])
  func `a gate is read`(_ text: String, _ gate: Gate) throws {
    #expect(try Gate(parsing: text) == gate)
    #expect(try Gate(parsing: "\(gate)") == gate)
  }

  @Test(arguments: [
    ("top1", "has none of '=', '>=' and '<='"),
    ("top1>0.7", "compares by '>'"),
    ("top1==0.7", "compares by '=='"),
    ("top1=>0.7", "compares by '=>'"),
    ("=0.7", "names nothing before '='"),
    ("top1=", "compares with ''"),
    ("top1=70%", "compares with '70%'"),
    ("top1=nan", "compares with 'nan'"),
    ("top1=0x1", "compares with '0x1'"),
    ("top1=1e999", "compares with '1e999'"),
    ("top1>=0.7>=0.6", "compares with '0.7>=0.6'"),
    ("", "has none of"),
  ])
  func `other texts are rejected`(_ text: String, _ message: String) {
    let error = #expect(throws: TensorIOError.self) { try Gate(parsing: text) }
    #expect(error?.code == .invalidOption)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  private func check(_ gate: String, _ report: EvaluationReport) throws -> GateResult {
    try #require(try Gate(parsing: gate).check(report).first)
  }

  @Test func `an equals sign means at least or at most, whichever is better`() throws {
    var report = ReportFixture().make()
    report.models[0].metrics["classification"]?.values = [
      MetricValue("top1", 0.7, count: 10),
      MetricValue("log_loss", 0.3, count: 10, isHigherBetter: false),
    ]
    #expect(try check("top1=0.7", report).isMet)
    #expect(try check("top1=0.6", report).isMet)
    #expect(try !check("top1=0.8", report).isMet)
    #expect(try check("log_loss=0.4", report).isMet)
    #expect(try !check("log_loss=0.2", report).isMet)
    #expect(try check("classification.log_loss>=0.2", report).isMet)
    #expect(
      try check("top1=0.8", report).message
        == "top1 of 'mobile' is 0.7, but it must be at least 0.8.")
  }

  @Test func `a message rounds numbers only if it stays true`() throws {
    var report = ReportFixture().make()
    report.models[0].metrics["classification"]?.values = [MetricValue("top1", 2.0 / 3, count: 3)]
    #expect(try check("top1>=0.7", report).message.contains("is 0.6667, but it must"))
    #expect(
      try check("top1>=0.6667", report).message.contains("is 0.6666666666666666, but it must"))
    #expect(try check("top1>=0.66666", report).message.contains("is 0.6667, as required"))
  }

  @Test func `an unknown name lists the known ones`() throws {
    let error = #expect(throws: TensorIOError.self) {
      try check("top_1>=0.7", ReportFixture().make())
    }
    #expect(error?.message.contains("It has: top1, top5, macro_f1, log_loss,") == true)
    #expect(error?.message.contains("failed, failed_share, throughput, latency_mean") == true)
  }

  @Test func `a name of two different numbers is ambiguous`() throws {
    var report = ReportFixture().make()
    report.models[0].metrics["other"] = MetricReport(values: [MetricValue("top1", 0.1, count: 3)])
    let error = #expect(throws: TensorIOError.self) { try check("top1>=0.7", report) }
    #expect(error?.message.contains("classification.top1, other.top1. Name one") == true)
    #expect(try check("other.top1<=0.1", report).isMet)
    report.models[0].metrics["other"] = report.models[0].metrics["classification"]
    #expect(try check("top1>=0.7", report).isMet)
  }

  @Test func `an undefined number doesn't meet a gate`() throws {
    var report = ReportFixture(images: 50, failures: [0]).make()
    let latency = try check("latency_p99<=1e6", report)
    #expect(!latency.isMet)
    #expect(
      latency.message == "latency_p99 of 'mobile' is not defined: "
        + "it needs at least 100 measured images, but there are 49.")
    report.models[0].metrics["classification"]?.values[0].value = .nan
    for gate in ["top1>=0", "top1<=1", "top1=0"] { #expect(try !check(gate, report).isMet) }
  }

  @Test func `gates can check latencies and failures`() throws {
    let report = ReportFixture().make()
    let p95 = try #require(report.models[0].latency.total.p95)
    #expect(try check("latency_p95<=\(p95)", report).isMet)
    #expect(try check("latency_total_p95=\(p95)", report).isMet)
    #expect(try !check("latency_p95=\(p95.nextDown)", report).isMet)
    #expect(try check("latency_inference_p50<=8", report).isMet)
    #expect(try !check("failed<=2", report).isMet)
    #expect(try check("failed=3", report).isMet)
    #expect(try check("failed_share<=0.006", report).isMet)
    #expect(try check("throughput=1", report).isMet)
  }

  @Test func `every model is checked`() throws {
    let report = ReportFixture(models: ["mobile", "large", "tiny"]).make()
    let results = try Gate(parsing: "top1>=0.84").check(report)
    #expect(results.map(\.model) == ["mobile", "large", "tiny"])
    #expect(results.map(\.isMet) == [false, true, false])
  }
}
