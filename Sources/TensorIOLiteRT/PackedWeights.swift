// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
import Files
import Synchronization
import TensorIO

/// Where a model's weights are kept in the order that XNNPACK computes with.
///
/// Without it, each session packs the weights for itself when it is made, and keeps its own copy.
public struct LiteRTWeightCache: Hashable, Sendable {
  /// The folder that keeps the packed weights for later starts, or nil to keep them only in memory.
  public var folder: String?

  /// Makes a cache.
  ///
  /// - Parameter folder: A folder that exists. Only you should be able to write into it. A file that
  ///   is damaged, or that belongs to another model, processor or version of the runtime, isn't used.
  public init(folder: String? = nil) { self.folder = folder }
}

/// The packed weights of one model, which its sessions share.
///
/// They are in a file in memory. XNNPACK maps it, and a file on a disk that somebody shortens would
/// end the process.
///
/// `@unchecked Sendable` because the state is only used under the lock.
final class PackedWeights: @unchecked Sendable {
  private enum State {
    /// The next session packs the weights into the file.
    case empty
    /// Sessions use the weights in the file.
    case packed
    /// Each session packs the weights for itself, because there are none, or because of an error.
    case unused
  }

  private let file: Int32
  private let cachePath: String?
  private let key: ContentHash
  private let state: Mutex<State>

  /// Finds the weights of a model in the cache, or prepares to pack them.
  init?(of model: UnsafeRawBufferPointer, in cache: LiteRTWeightCache, runtime: String) {
    var hash = ContentHash()
    hash.add(model)
    hash.add("LiteRT \(LiteRTBackend.libraryVersion) \(FileSystem.byteCount(of: runtime) ?? 0)")
    hash.add(Self.processor)
    let key = hash
    let file = open_sealable_memory_file()
    guard file >= 0 else { return nil }
    let path = cache.folder.map { "\($0)/\(key.hexadecimal).xnnpack" }
    let isFound = path.map { Self.copyFile($0, to: file, key) } ?? false
    self.file = file
    self.key = key
    cachePath = path
    state = Mutex(isFound ? .packed : .empty)
  }

  deinit { close(file) }

  /// Calls a closure that compiles the model, with the options for XNNPACK.
  ///
  /// The closure is called a second time without options if the model can't be compiled with them.
  func whileCompiling<Compiled>(_ compile: (_ options: String) throws -> Compiled) throws
    -> Compiled
  {
    let options = "weight_cache_file_path = \"/proc/self/fd/\(file)\"\n"
    var compiled: Compiled?
    let known = state.withLock { state in
      // The first session packs the weights while the others wait.
      guard state == .empty else { return state }
      state = .unused
      compiled = try? compile(options)
      guard compiled != nil else { return state }
      var status = stat()
      let isPacked = fstat(file, &status) == 0 && status.st_size > Self.emptyBytes
      if isPacked && seal_memory_file(file, false) {
        state = .packed
        save(byteCount: Int(status.st_size))
      }
      return state
    }
    if let compiled { return compiled }
    if known == .packed, let compiled = try? compile(options) { return compiled }
    return try compile("")
  }

  /// The bytes of a file of XNNPACK without weights.
  private static let emptyBytes = 160

  // MARK: - The file on the disk

  /// Begins the end of each file, which also has the key, the hash of the weights, and their count.
  private static let format = Array("TIOXNN01".utf8)
  private static let trailerBytes = 48

  private static func trailer(_ key: ContentHash, _ weights: UnsafeRawBufferPointer) -> [UInt8] {
    var hash = ContentHash()
    hash.add(weights)
    return format + key.bytes + hash.bytes + UInt64(weights.count).bytes
  }

  /// Copies weights that were saved for this key into a file in memory.
  private static func copyFile(_ path: String, to file: Int32, _ key: ContentHash) -> Bool {
    guard FileSystem.isFile(path), let memory = try? AlignedMemory(contentsOf: path) else {
      return false
    }
    let bytes = UnsafeRawBufferPointer(memory.bytes)
    return withExtendedLifetime(memory) {
      guard bytes.count > trailerBytes + emptyBytes else { return false }
      let weights = UnsafeRawBufferPointer(rebasing: bytes.dropLast(trailerBytes))
      guard bytes.suffix(trailerBytes).elementsEqual(trailer(key, weights)) else { return false }
      guard write(weights, to: file), seal_memory_file(file, true) else {
        _ = ftruncate(file, 0)
        return false
      }
      return true
    }
  }

  /// Saves the weights.
  ///
  /// If the folder can't be written, later starts pack them again.
  private func save(byteCount: Int) {
    guard let cachePath else { return }
    let mapped = mmap(nil, byteCount, PROT_READ, MAP_SHARED, file, 0)
    guard let mapped, mapped != MAP_FAILED else { return }
    defer { munmap(mapped, byteCount) }
    let weights = UnsafeRawBufferPointer(start: mapped, count: byteCount)
    // Other processes see either no file, or a complete one.
    let path = "\(cachePath).\(getpid())"
    let target = open_file(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard target >= 0 else { return }
    let isWritten =
      Self.write(weights, to: target)
      && Self.trailer(key, weights).withUnsafeBytes { Self.write($0, to: target) }
    close(target)
    if !isWritten || rename(path, cachePath) != 0 { unlink(path) }
  }

  private static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = UnsafeRawBufferPointer(rebasing: rest)
      let count = CSystemCalls.write(file, part.baseAddress, min(part.count, 1 << 30))
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// What the order of packed weights depends on: the first processor's name and its features.
  private static let processor: String = {
    guard let bytes = try? FileSystem.read("/proc/cpuinfo") else { return "" }
    let lines = String(decoding: bytes, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    let names = ["model name", "cpu family", "model", "stepping", "flags", "Features", "CPU "]
    return lines.prefix { !$0.isEmpty }.filter { line in names.contains { line.hasPrefix($0) } }
      .joined(separator: "\n")
  }()
}

/// A fast hash of 128 bits, which tells contents apart that differ by accident.
///
/// It isn't meant against people who can write the files.
struct ContentHash {
  private var lanes: (UInt64, UInt64) = (0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F)

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var offset = 0
    while offset + 16 <= bytes.count {
      let first = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      let second = bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
      mix(UInt64(littleEndian: first), UInt64(littleEndian: second))
      offset += 16
    }
    var rest: (UInt64, UInt64) = (0, 0)
    withUnsafeMutableBytes(of: &rest) { $0.copyBytes(from: bytes[offset...]) }
    mix(UInt64(littleEndian: rest.0), UInt64(littleEndian: rest.1))
    // Contents of other lengths that end in zeros differ, too.
    mix(UInt64(bytes.count), 1)
  }

  mutating func add(_ text: String) { Array(text.utf8).withUnsafeBytes { add($0) } }

  @inline(__always)
  private mutating func mix(_ first: UInt64, _ second: UInt64) {
    lanes = (
      Self.product(lanes.0 ^ first, 0xA076_1D64_78BD_642F ^ second)
        ^ (lanes.1 &<< 1 | lanes.1 &>> 63),
      Self.product(lanes.1 ^ second, 0xE703_7ED1_A0B4_28DB ^ first) &+ 0x8EBC_6AF0_9C88_C6E3
    )
  }

  @inline(__always)
  private static func product(_ first: UInt64, _ second: UInt64) -> UInt64 {
    let product = first.multipliedFullWidth(by: second)
    return product.high ^ product.low
  }

  var bytes: [UInt8] { lanes.0.bytes + lanes.1.bytes }

  var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

extension UInt64 {
  fileprivate var bytes: [UInt8] { withUnsafeBytes(of: littleEndian) { Array($0) } }
}
