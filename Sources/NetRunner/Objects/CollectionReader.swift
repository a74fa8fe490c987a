// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import TensorIO

/// Finds the samples in a tar archive, or below a prefix of addresses, one after the other.
final class CollectionReader {
  /// Which samples are wanted.
  struct Selection {
    /// Whether a path has the name of a sample that the models take.
    var isWanted: (_ path: String) -> Bool
    /// Whether the sample at an index has a row, or an archive that can't be read, without an index.
    var isDone: (_ name: String, _ index: Int?) -> Bool
    /// The objects below a prefix that count, by the remainder of their index; nil for all.
    var part: (remainder: Int, count: Int)?
  }

  /// What was found.
  enum Entry {
    /// An object to be fetched.
    case object(_ address: String)
    /// A file in an archive.
    case member(_ name: String, [UInt8])
    /// A sample that is done.
    case done(_ name: String)
    /// An archive that is damaged, a file that is too large, or objects that can't be listed.
    case failure(_ name: String, TensorIOError)
  }

  /// The index of the last entry in the collection, where objects of other parts count, too.
  private(set) var index = -1

  /// The index of the last object that is a sample or an archive.
  private var unit = -1
  private let access: ObjectAccess?
  private let selection: Selection
  private let name: String
  private var hasBegun = false
  private var nextAddress: (() throws -> String?)?
  private var archive: TarReader?
  private var archiveName = ""
  /// The largest file in an archive that is read, in bytes, as for downloads.
  private static let mostBytes = 128 << 20
  /// The names in the archive, because a tar file can have one twice.
  private var names: Set<ExactName> = []
  private var firstRepeated: String?

  /// Makes a reader of an archive or a prefix, which is opened when the first entry is requested.
  init(_ name: String, _ access: ObjectAccess?, _ selection: Selection) {
    self.name = name
    self.access = access
    self.selection = selection
  }

  /// Whether a source stands for several samples.
  static func isCollection(_ source: ImageSource) -> Bool {
    switch source {
    case .file(let path): ObjectAddress.isArchive(path)
    case .url(let address): ObjectAddress.isArchive(address) || ObjectAddress.isPrefix(address)
    default: false
    }
  }

  /// Whether an object below a prefix is an archive, or a wanted sample that isn't hidden.
  static func isEntry(
    _ address: String, below prefix: String, where isWanted: (_ path: String) -> Bool
  ) -> Bool {
    ObjectAddress.isArchive(address) || isSample(address.dropFirst(prefix.count), isWanted)
  }

  /// Finds the next entry.
  ///
  /// - Parameter isOver: Called before each file. If it returns true, the search ends.
  /// - Returns: The entry, or nil at the end.
  func next(until isOver: () -> Bool = { false }) -> Entry? {
    while !isOver() {
      let isInArchive = archive != nil
      do {
        guard hasBegun else {
          hasBegun = true
          try begin()
          continue
        }
        guard isInArchive || nextAddress != nil else { return nil }
        guard let entry = try isInArchive ? nextMember() : nextObject() else { continue }
        index += 1
        return entry
      } catch {
        if isInArchive { archive = nil } else { nextAddress = nil }
        index += 1
        return failure(isInArchive ? archiveName : name, error)
      }
    }
    return nil
  }

  private func begin() throws {
    if ObjectAddress.isPrefix(name) {
      nextAddress = try access.required(for: name).list(name, nil)
    } else {
      try open(name)
    }
  }

  private func failure(_ name: String, _ error: any Error) -> Entry {
    selection.isDone(name, nil) ? .done(name) : .failure(name, TensorIOError(wrapping: error))
  }

  private func open(_ name: String) throws {
    archiveName = name
    (names, firstRepeated) = ([], nil)
    let stream: any ByteStream =
      try ObjectAddress.isAddress(name)
      ? access.required(for: name).open(name) : FileStream(name)
    archive = TarReader(stream, named: name)
  }

  /// Returns an object's entry; nil if it isn't a sample, or if there are no more.
  private func nextObject() throws -> Entry? {
    guard let address = try nextAddress?() else {
      nextAddress = nil
      return nil
    }
    guard Self.isEntry(address, below: name, where: selection.isWanted) else { return nil }
    unit += 1
    if let part = selection.part, unit % part.count != part.remainder {
      index += 1
      return nil
    }
    guard ObjectAddress.isArchive(address) else {
      return selection.isDone(address, index + 1) ? .done(address) : .object(address)
    }
    archiveName = address
    do {
      try open(address)
      return nil
    } catch {
      return failure(address, error)
    }
  }

  /// Returns a member's entry; nil if it isn't a sample, or if there are no more.
  private func nextMember() throws -> Entry? {
    guard let member = try archive?.next() else {
      archive = nil
      guard let firstRepeated else { return nil }
      throw TensorIOError(
        .unreadableFile,
        "'\(archiveName)' has more than one file '\(firstRepeated)'. Only the first of each name was "
          + "run.")
    }
    guard Self.isSample(member.name[...], selection.isWanted) else { return nil }
    let name = archiveName + "/" + member.name
    guard names.insert(ExactName(member.name)).inserted else {
      firstRepeated = firstRepeated ?? member.name
      return nil
    }
    if selection.isDone(name, index + 1) { return .done(name) }
    guard member.size <= Self.mostBytes else {
      return .failure(
        name,
        TensorIOError(.unreadableFile, "'\(name)' is larger than \(Self.mostBytes >> 20) MiB."))
    }
    return .member(name, try archive?.content() ?? [])
  }

  /// Whether a path is that of a wanted sample that isn't hidden.
  private static func isSample(_ path: Substring, _ isWanted: (_ path: String) -> Bool) -> Bool {
    let parts = path.split(separator: "/")
    func isHidden(_ part: Substring) -> Bool {
      part.hasPrefix(".") && part != "." && part != ".." || part == "__MACOSX"
    }
    return !parts.contains(where: isHidden) && isWanted(String(path))
  }
}

extension TensorIOError {
  init(wrapping error: any Error) {
    self = error as? TensorIOError ?? TensorIOError(.unreadableFile, "\(error)", cause: error)
  }
}
