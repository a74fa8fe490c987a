// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import TensorIO

/// The device's reports about its power and its network.
struct DeviceConditions: Sendable {
  /// The folder of power supplies.
  ///
  /// Tests replace it and the three properties below.
  var powerSupplies = "/sys/class/power_supply"
  var routes = "/proc/net/route"
  var interfaces = "/sys/class/net"
  var environment = ProcessInfo.processInfo.environment

  /// Checks that conditions are met.
  ///
  /// - Throws: ``ModelRepositoryClientError`` with `.conditionsNotMet` or `.conditionUnknown`.
  func check(_ conditions: DownloadConditions, _ model: String) throws {
    if conditions.requiresCharging {
      try require(
        isCharging, model, "the device must be charging", "is running on its battery",
        "Remove the condition")
    }
    if !conditions.allowsCellularAccess {
      try require(
        isMetered.map { !$0 }, model, "the network must not be cellular or metered",
        "is connected to such a network", "Set TENSORIO_METERED, or remove the condition")
    }
  }

  private func require(
    _ isMet: Bool?, _ model: String, _ condition: String, _ opposite: String, _ suggestion: String
  ) throws {
    guard let isMet else {
      throw ModelRepositoryClientError(
        .conditionUnknown,
        "'\(model)' was not downloaded: \(condition), but this device doesn't report whether that "
          + "is so. \(suggestion).")
    }
    guard isMet else {
      throw ModelRepositoryClientError(
        .conditionsNotMet,
        "'\(model)' was not downloaded: \(condition), but the device \(opposite).")
    }
  }

  /// Whether the device has external power, or nil if it doesn't say.
  var isCharging: Bool? {
    guard let names = try? FileSystem.contents(of: powerSupplies) else { return nil }
    var hasBattery = false
    var isUnknown = false
    for name in names {
      let supply = "\(powerSupplies)/\(name)"
      // Skip the batteries of peripherals, such as a mouse.
      guard line(supply + "/scope") != "Device" else { continue }
      guard line(supply + "/type") == "Battery" else {
        if line(supply + "/online") == "1" { return true }
        continue
      }
      hasBattery = true
      switch line(supply + "/status") {
      case "Charging", "Full", "Not charging": return true
      case "Discharging": break
      default: isUnknown = true
      }
    }
    if !hasBattery { return true }
    return isUnknown ? nil : false
  }

  /// Whether the network is metered, or nil if that isn't known.
  var isMetered: Bool? {
    switch environment["TENSORIO_METERED"]?.lowercased() {
    case "1", "true", "yes": return true
    case "0", "false", "no": return false
    default: break
    }
    guard let table = try? FileSystem.read(routes) else { return nil }
    let rows = String(decoding: table, as: UTF8.self).split(separator: "\n").dropFirst()
      .map { $0.split(whereSeparator: \.isWhitespace) }
    // The first two columns are the interface and the destination in hexadecimal digits.
    guard let route = rows.first(where: { $0.count > 2 && $0[1] == "00000000" }),
      FileSystem.staysInside(String(route[0]))
    else { return nil }
    let interface = "\(interfaces)/\(route[0])"
    // Type 1 is Ethernet. Wi-Fi and some modems have it too, but modems have the device type
    // `wwan`.
    guard line(interface + "/type") == "1" else { return nil }
    let kind = (try? FileSystem.read(interface + "/uevent")).map {
      String(decoding: $0, as: UTF8.self)
    }
    return kind?.contains("DEVTYPE=wwan") ?? false
  }

  private func line(_ path: String) -> String? {
    (try? FileSystem.read(path)).map {
      String(decoding: $0, as: UTF8.self).filter { !$0.isNewline }
    }
  }
}

/// The conditions under which a download may start.
public struct DownloadConditions: Sendable, Hashable {
  /// Whether a cellular or metered network may be used.
  ///
  /// On Linux, `TENSORIO_METERED=1` or `=0` says whether the network is metered. If it isn't set,
  /// the type of the default route's interface decides. If neither is conclusive, the download
  /// fails with ``ModelRepositoryClientError/Code/conditionUnknown``.
  public var allowsCellularAccess: Bool
  /// Whether the download may continue in the background.
  ///
  /// This has no effect on Linux, where the system doesn't stop programs in the background.
  public var allowsBackgroundDownloading: Bool
  /// Whether the device has to be charging.
  ///
  /// A device without a battery counts as charging. If the device doesn't report its state, the
  /// download fails with ``ModelRepositoryClientError/Code/conditionUnknown``.
  public var requiresCharging: Bool

  /// Creates a set of conditions.
  public init(
    allowsCellularAccess: Bool = true, allowsBackgroundDownloading: Bool = false,
    requiresCharging: Bool = false
  ) {
    self.allowsCellularAccess = allowsCellularAccess
    self.allowsBackgroundDownloading = allowsBackgroundDownloading
    self.requiresCharging = requiresCharging
  }
}
#endif
