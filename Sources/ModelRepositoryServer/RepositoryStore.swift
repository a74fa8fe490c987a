// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
public import Foundation
import GRDB
public import ModelRepositoryAPI
import StoredRows

/// A data folder without a server: what administrators do on the machine itself.
///
/// ```swift
/// let store = try RepositoryStore(ModelRepositoryOptions(dataFolder: "data"))
/// let token = try await store.makeToken(TokenRequest(name: "first", scopes: [.admin]))
/// print(token.secret)
/// ```
///
/// The folder is locked while a store is alive: a server must end first, and starts afterwards.
public struct RepositoryStore: Sendable {
  let repository: Repository

  /// Opens a data folder, or makes it.
  ///
  /// - Parameter options: The folder, and the limits.
  /// - Throws: `RepositoryError` with the code `.locked` where a server, or another store, has it.
  public init(_ options: ModelRepositoryOptions) throws {
    repository = try Repository(options)
  }

  /// A store of what is open already.
  init(_ repository: Repository) { self.repository = repository }

  // MARK: - Tokens

  /// Makes a token.
  ///
  /// - Parameter request: What it is to be.
  /// - Returns: The token with its secret, which nobody can find out again.
  /// - Throws: `RepositoryError` for a request that makes no sense.
  public func makeToken(_ request: TokenRequest) async throws -> NewToken {
    try await Self.unwrapping { try await repository.makeToken(request, by: nil) }
  }

  /// The tokens without their secrets, the oldest first.
  ///
  /// - Returns: Those that expired or were revoked too.
  /// - Throws: What the database does.
  public func tokens() async throws -> [TokenRecord] {
    try await Self.unwrapping { try await repository.tokens() }
  }

  /// Makes a token good for nothing; one that was revoked before is no error.
  ///
  /// - Parameter id: Its id, which is what its secret begins with.
  /// - Throws: `RepositoryError` where there is no such token.
  public func revokeToken(_ id: String) async throws {
    guard try await Self.unwrapping({ try await repository.revokeToken(id, by: nil) }) else {
      throw RepositoryError(.invalidOption, "There is no token '\(id)'.")
    }
  }

  // MARK: - Keys

  /// What verifies the documents that are signed; the first was made with the folder.
  public var keys: [VerificationKey] { repository.keys.map(\.verificationKey) }

  /// Makes a key that signs too, so that clients can learn it before an older one goes.
  ///
  /// - Parameter name: The file `keys/NAME.key` of the folder; an old key is taken away by hand.
  /// - Returns: What clients are to know.
  /// - Throws: `RepositoryError` where there is one of that name, and for a repository with a root
  ///   document, which has to name the key: see ``RepositoryKeys``.
  public func makeKey(_ name: RepositoryName) throws -> VerificationKey {
    let key = try RepositoryKeys(dataFolder: repository.folder.path).makeKey(name)
    try repository.reloadKeys()
    return key
  }

  /// Signs with a new key because the old ones are lost, in a repository without a root document.
  ///
  /// Clients refuse what the new key signs until they are told to trust it.
  ///
  /// - Parameter name: The file `keys/NAME.key` of the folder.
  /// - Returns: What clients are to know.
  /// - Throws: `RepositoryError` where no key is lost.
  public func replaceLostKeys(with name: RepositoryName) async throws -> VerificationKey {
    guard repository.signing.fault != nil else {
      throw RepositoryError(
        .invalidOption,
        "The keys of this repository are not lost. Make a further one without --lost."
      )
    }
    return try await repository.replaceLostKeys(with: name.text)
  }

  // MARK: - Care

  /// Looks for what is missing or damaged; damaged blobs go to the folder `quarantine`.
  ///
  /// A blob that is missing or was damaged can be uploaded again: its versions are whole then.
  ///
  /// - Parameter rehash: Whether every byte is read, and not only sizes compared.
  /// - Returns: What was found.
  /// - Throws: What the database and the disk do.
  public func fsck(rehash: Bool = true) async throws -> IntegrityReport {
    try await Self.unwrapping { try await repository.checkIntegrity(rehash: rehash) }
  }

  /// Looks for what is missing or damaged in a data folder, whose database may be so damaged that
  /// no store can open it; see ``fsck(rehash:)``.
  ///
  /// - Parameters:
  ///   - options: The data folder, and who asks the store of its blobs.
  ///   - rehash: Whether every byte is read, and not only sizes compared.
  /// - Returns: What was found.
  /// - Throws: `RepositoryError` where the folder cannot be looked at.
  public static func fsck(
    _ options: ModelRepositoryOptions, rehash: Bool = true
  ) async throws -> IntegrityReport {
    let store: RepositoryStore
    do {
      store = try RepositoryStore(options)
    } catch let error as RepositoryError where error.code == .damaged {
      var report = IntegrityReport()
      report.database = [error.message]
      return report
    }
    return try await store.fsck(rehash: rehash)
  }

  /// Takes away blobs that no version names, and uploads that are idle, after a grace period.
  ///
  /// - Returns: What went.
  /// - Throws: What the database and the disk do.
  public func collectGarbage() async throws -> CollectionReport {
    try await Self.unwrapping {
      try await repository.collectGarbage(UploadStore(repository), by: nil)
    }
  }

  /// Copies everything but uploads under way, and the private keys, to a new folder.
  ///
  /// - Parameters:
  ///   - folder: A path where nothing is yet, or an empty folder.
  ///   - includingKeys: Whether the private keys are in it: whoever has it can sign then.
  /// - Throws: `RepositoryError` where something is there, or a blob is missing.
  public func backup(to folder: String, includingKeys: Bool = false) async throws {
    try await Self.backup(repository.options, to: folder, includingKeys: includingKeys)
  }

  /// Copies a repository that a server may use meanwhile; see ``backup(to:includingKeys:)``.
  ///
  /// What was published when this is called is in the copy. On the same disk blobs are linked and
  /// take no room; to be safe from the disk's end, copy the folder elsewhere. Blobs in S3 are
  /// downloaded. The private keys are not in it unless they are asked for: keep a copy of the folder
  /// `keys` elsewhere, without which nobody can go on with what is restored.
  ///
  /// - Parameters:
  ///   - options: The data folder, and who asks the store of its blobs.
  ///   - folder: A path where nothing is yet, or an empty folder.
  ///   - includingKeys: Whether the private keys are in it: whoever has it can sign then.
  /// - Throws: `RepositoryError` where something is there, or a blob is missing.
  public static func backup(
    _ options: ModelRepositoryOptions, to folder: String, includingKeys: Bool = false
  ) async throws {
    try await RepositoryCopy.backup(options, to: folder, includesKeys: includingKeys)
  }

  /// Makes a data folder of a backup, reading every byte.
  ///
  /// Clients refuse documents that are older than those they know. Where the server went on after
  /// the backup, set each channel once more until its document's version is higher, or replace the
  /// key under a root document: clients count by key.
  ///
  /// - Parameters:
  ///   - backup: A folder that ``backup(to:includingKeys:)`` made.
  ///   - keys: The folder of the private keys, which were kept elsewhere; nil for a backup that has
  ///     them, and where they are put into `keys` later.
  ///   - options: The data folder, where nothing is yet, or which is empty; where the blobs are to
  ///     be.
  /// - Throws: `RepositoryError` where the backup is damaged; nothing is made then.
  public static func restore(
    from backup: String, keys: String? = nil, _ options: ModelRepositoryOptions
  ) async throws {
    try await RepositoryCopy.restore(from: DataFolder(path: backup), keys: keys, options)
  }

  // MARK: - Audit log

  /// The audit log of a repository that a server may use meanwhile, the newest first.
  ///
  /// Refused tokens that the server has only counted so far are not in it yet.
  ///
  /// - Parameters:
  ///   - dataFolder: The repository's folder.
  ///   - before: Only records with lower numbers; nil begins with the newest.
  ///   - since: Only records from this time on; nil for all.
  ///   - limit: How many at most.
  /// - Returns: The records.
  /// - Throws: `RepositoryError` where the folder has no repository, or its database is damaged.
  public static func auditLog(
    _ dataFolder: String, before: Int? = nil, since: Date? = nil, limit: Int = 100
  ) async throws -> [AuditRecord] {
    try await unwrapping {
      try await RepositoryCopy.blocking {
        let database = try RepositoryDatabase.openToRead(DataFolder(path: dataFolder).database)
        return try database.read {
          try Repository.auditLog(before: before, since: since, limit: limit, $0).records
        }
      }
    }
  }

  /// Refusals without HTTP.
  private static func unwrapping<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch let problem as Problem {
      throw RepositoryError(RepositoryError.Code(rawValue: problem.code), problem.title)
    } catch let error as DamagedRow {
      throw RepositoryError(.damaged, "\(error) 'repository fsck' lists all damage.")
    } catch let error as DatabaseError {
      throw RepositoryDatabase.failure(error, "meta.sqlite")
    }
  }
}
#endif
