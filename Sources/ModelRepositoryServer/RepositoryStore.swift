// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
public import Foundation
import GRDB
public import ModelRepositoryAPI
import StoredRows

/// Access to a data folder without a server, for administrators on the machine itself.
///
/// ```swift
/// let store = try RepositoryStore(ModelRepositoryOptions(dataFolder: "data"))
/// let token = try await store.makeToken(TokenRequest(name: "first", scopes: [.admin]))
/// print(token.secret)
/// ```
///
/// The store locks the folder as long as it exists, so stop a server before you create one.
public struct RepositoryStore: Sendable {
  let repository: Repository

  /// Opens a data folder, or creates it.
  ///
  /// - Parameter options: The folder and its limits.
  /// - Throws: `RepositoryError` with the code `.locked` if a server or another store uses the
  ///   folder.
  public init(_ options: ModelRepositoryOptions) throws {
    repository = try Repository(options)
  }

  /// Creates a store for a repository that is already open.
  init(_ repository: Repository) { self.repository = repository }

  // MARK: - Tokens

  /// Creates a token.
  ///
  /// - Parameter request: The token's name, scopes, models and expiration date.
  /// - Returns: The token with its secret, which can't be retrieved later.
  /// - Throws: `RepositoryError` if the request isn't valid.
  public func makeToken(_ request: TokenRequest) async throws -> NewToken {
    try await Self.unwrapping { try await repository.makeToken(request, by: nil) }
  }

  /// Returns the tokens without their secrets, the oldest first.
  ///
  /// - Returns: All tokens, including those that have expired or were revoked.
  /// - Throws: The database's error.
  public func tokens() async throws -> [TokenRecord] {
    try await Self.unwrapping { try await repository.tokens() }
  }

  /// Revokes a token.
  ///
  /// Revoking a token again isn't an error.
  ///
  /// - Parameter id: The token's id, which is the beginning of its secret.
  /// - Throws: `RepositoryError` if the token doesn't exist.
  public func revokeToken(_ id: String) async throws {
    guard try await Self.unwrapping({ try await repository.revokeToken(id, by: nil) }) else {
      throw RepositoryError(.invalidOption, "There is no token '\(id)'.")
    }
  }

  // MARK: - Keys

  /// The keys that verify the signed documents.
  ///
  /// The first key was created together with the folder.
  public var keys: [VerificationKey] { repository.keys.map(\.verificationKey) }

  /// Creates an additional signing key, so that clients can learn it before an older one is
  /// removed.
  ///
  /// - Parameter name: The name of the file `keys/NAME.key` in the folder. To remove an old key,
  ///   remove its file.
  /// - Returns: The public key that clients need.
  /// - Throws: `RepositoryError` if a key of that name exists, or if the repository has a root
  ///   document, which would have to name the key. In that case, use ``RepositoryKeys``.
  public func makeKey(_ name: RepositoryName) throws -> VerificationKey {
    let key = try RepositoryKeys(dataFolder: repository.folder.path).makeKey(name)
    try repository.reloadKeys()
    return key
  }

  /// Replaces lost keys with a new one, in a repository without a root document.
  ///
  /// Clients reject documents of the new key until they are told to trust it.
  ///
  /// - Parameter name: The name of the file `keys/NAME.key` in the folder.
  /// - Returns: The public key that clients need.
  /// - Throws: `RepositoryError` if no key is lost.
  public func replaceLostKeys(with name: RepositoryName) async throws -> VerificationKey {
    guard repository.signing.fault != nil else {
      throw RepositoryError(
        .invalidOption,
        "This repository has not lost its keys. Create an additional key without --lost."
      )
    }
    return try await repository.replaceLostKeys(with: name.text)
  }

  // MARK: - Maintenance

  /// Looks for missing and damaged data, and moves damaged blobs to the folder `quarantine`.
  ///
  /// To repair the versions of a missing or damaged blob, upload the blob again.
  ///
  /// - Parameter rehash: Whether to read and hash every byte instead of only comparing sizes.
  /// - Returns: The problems that were found.
  /// - Throws: The database's or the disk's error.
  public func fsck(rehash: Bool = true) async throws -> IntegrityReport {
    try await Self.unwrapping { try await repository.checkIntegrity(rehash: rehash) }
  }

  /// Looks for missing and damaged data in a data folder.
  ///
  /// This method also works if the database is too damaged to open a store; see ``fsck(rehash:)``.
  ///
  /// - Parameters:
  ///   - options: The data folder, and the credentials for its blob store.
  ///   - rehash: Whether to read and hash every byte instead of only comparing sizes.
  /// - Returns: The problems that were found.
  /// - Throws: `RepositoryError` if the folder can't be checked.
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

  /// Deletes blobs that no version refers to, and idle uploads, after a grace period.
  ///
  /// - Returns: What was deleted.
  /// - Throws: The database's or the disk's error.
  public func collectGarbage() async throws -> CollectionReport {
    try await Self.unwrapping {
      try await repository.collectGarbage(UploadStore(repository), by: nil)
    }
  }

  /// Copies a repository that a server may be using to a new folder, except uploads under way.
  ///
  /// The copy contains everything that was published before this call. On the same disk, blobs are
  /// hard links that take no space, and damage to a file damages both. To be safe from a disk
  /// failure, copy the folder elsewhere. Blobs in S3 are downloaded.
  ///
  /// Unless you ask for them, the private keys aren't copied. Keep a copy of the folder `keys`
  /// elsewhere, because a restored repository can't sign documents without it.
  ///
  /// - Parameters:
  ///   - options: The data folder, and the credentials for its blob store.
  ///   - folder: A path that doesn't exist yet, or an empty folder.
  ///   - includingKeys: Whether to copy the private keys, too. Anyone who has such a copy can sign
  ///     documents.
  /// - Returns: The files that versions need and that the repository has already lost, as
  ///   ``fsck(rehash:)`` reports them. The backup is complete without them.
  /// - Throws: `RepositoryError` if the folder isn't empty, or if a blob is missing that the
  ///   repository doesn't know to be lost.
  @discardableResult
  public static func backup(
    _ options: ModelRepositoryOptions, to folder: String, includingKeys: Bool = false
  ) async throws -> [MissingBlob] {
    try await RepositoryCopy.backup(options, to: folder, includesKeys: includingKeys)
  }

  /// Creates a data folder from a backup, and checks every byte.
  ///
  /// Clients reject documents that are older than those they know. If the server went on after the
  /// backup, set each channel again until its document version is higher than before. With a root
  /// document, you can replace the signing key instead, because clients count versions per key.
  ///
  /// - Parameters:
  ///   - backup: A folder that ``backup(_:to:includingKeys:)`` created.
  ///   - keys: The folder of the private keys, if they were kept elsewhere. Pass nil if the backup
  ///     contains them, or if you put them into `keys` later.
  ///   - options: The data folder, which must be empty or not exist, and the new location of the
  ///     blobs.
  /// - Returns: The files that versions need and that the backup doesn't have.
  /// - Throws: `RepositoryError` if the backup is damaged. In that case, nothing is created.
  @discardableResult
  public static func restore(
    from backup: String, keys: String? = nil, _ options: ModelRepositoryOptions
  ) async throws -> [MissingBlob] {
    try await RepositoryCopy.restore(from: DataFolder(path: backup), keys: keys, options)
  }

  // MARK: - Audit log

  /// Returns the audit log of a repository that a server may be using, the newest record first.
  ///
  /// The log doesn't contain the refused tokens that the server has counted but not written yet.
  ///
  /// - Parameters:
  ///   - dataFolder: The repository's folder.
  ///   - before: Returns only records with lower numbers; nil starts with the newest record.
  ///   - since: Returns only records from this time on; nil for all.
  ///   - limit: The maximum number of records.
  /// - Returns: The records.
  /// - Throws: `RepositoryError` if the folder isn't a repository, or if its database is damaged.
  public static func auditLog(
    _ dataFolder: String, before: Int? = nil, since: Date? = nil, limit: Int = 100
  ) async throws -> [AuditRecord] {
    try await unwrapping {
      try await RepositoryCopy.blocking {
        let database = try RepositoryDatabase.openToRead(DataFolder(path: dataFolder).database)
        return try database.read { database in
          guard try RowChecksums.isKept(.audit, database) else {
            throw RepositoryError(
              .storage,
              "'\(dataFolder)/meta.sqlite' was written by an older version of this program. Start "
                + "the server once, which converts it, and read the log again.")
          }
          return try Repository.auditLog(before: before, since: since, limit: limit, database)
            .records
        }
      }
    }
  }

  /// Converts the errors of HTTP requests and of the database to `RepositoryError`.
  private static func unwrapping<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch let problem as Problem {
      throw RepositoryError(RepositoryError.Code(rawValue: problem.code), problem.message)
    } catch let error as DamagedRow {
      throw RepositoryError(.damaged, "\(error) 'repository fsck' lists all damage.")
    } catch let error as DatabaseError {
      throw RepositoryDatabase.failure(error, "meta.sqlite")
    }
  }
}
#endif
