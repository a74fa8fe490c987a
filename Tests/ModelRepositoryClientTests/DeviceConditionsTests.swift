// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import Testing

@testable import ModelRepositoryClient

@Suite struct ModelRepositoryDeviceConditionsTests {
  private final class Files {
    let folder = FileManager.default.temporaryDirectory.appending(path: "device-\(UUID())").path

    init(_ files: [String: String]) throws {
      for (path, text) in files {
        let file = URL(filePath: "\(folder)/\(path)")
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data((text + "\n").utf8).write(to: file)
      }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var device: DeviceConditions {
      DeviceConditions(
        powerSupplies: folder + "/power", routes: folder + "/route", interfaces: folder + "/net",
        environment: [:])
    }
  }

  @Test(
    arguments: [
      (["AC/type": "Mains", "AC/online": "1"], true),
      (["AC/type": "Mains", "AC/online": "0"], true),
      (
        ["AC/type": "Mains", "AC/online": "0", "B/type": "Battery", "B/status": "Discharging"],
        false
      ),
      (
        ["AC/type": "Mains", "AC/online": "1", "B/type": "Battery", "B/status": "Discharging"], true
      ),
      (["B/type": "Battery", "B/status": "Charging"], true),
      (["B/type": "Battery", "B/status": "Full"], true),
      (["B/type": "Battery", "B/status": "Unknown"], nil),
      (["M/type": "Battery", "M/scope": "Device", "M/status": "Discharging"], true),
    ] as [([String: String], Bool?)])
  func `power supplies determine whether a device is charging`(
    _ supplies: [String: String], _ expected: Bool?
  ) throws {
    let files = try Files(Dictionary(uniqueKeysWithValues: supplies.map { ("power/\($0)", $1) }))
    #expect(files.device.isCharging == expected)
    guard expected != true else {
      return try files.device.check(.init(requiresCharging: true), "m")
    }
    let error = #expect(throws: ModelRepositoryClientError.self) {
      try files.device.check(.init(requiresCharging: true), "m")
    }
    #expect(error?.code == (expected == nil ? .conditionUnknown : .conditionsNotMet))
  }

  @Test func `the charging state of a device without power supplies is unknown`() throws {
    #expect(try Files([:]).device.isCharging == nil)
  }

  private static let table = """
    Iface\tDestination\tGateway\tFlags
    lo\t0000007F\t00000000\t1
    wan0\t00000000\t0102A8C0\t3
    """

  @Test(
    arguments: [
      (["net/wan0/type": "1", "net/wan0/uevent": "INTERFACE=wan0"], false),
      (["net/wan0/type": "1", "net/wan0/uevent": "DEVTYPE=wlan"], false),
      (["net/wan0/type": "1", "net/wan0/uevent": "DEVTYPE=wwan"], true),
      (["net/wan0/type": "512"], nil), ([:], nil),
    ] as [([String: String], Bool?)])
  func `the default route determines whether a network is metered`(
    _ interface: [String: String], _ expected: Bool?
  ) throws {
    let files = try Files(interface.merging(["route": Self.table]) { first, _ in first })
    #expect(files.device.isMetered == expected)
    var device = files.device
    device.environment = ["TENSORIO_METERED": "yes"]
    #expect(device.isMetered == true)
    device.environment = ["TENSORIO_METERED": "0"]
    #expect(device.isMetered == false)
  }

  @Test func `whether the network is metered is unknown without a route`() throws {
    let files = try Files([:])
    #expect(files.device.isMetered == nil)
    let error = #expect(throws: ModelRepositoryClientError.self) {
      try files.device.check(.init(allowsCellularAccess: false), "m")
    }
    #expect(error?.code == .conditionUnknown)
    #expect(error?.message.contains("TENSORIO_METERED") == true)
    try files.device.check(.init(), "m")
  }
}
#endif
