// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
public import Foundation

/// The settings of a model repository.
public struct ModelRepositoryOptions: Sendable {
  /// The folder that contains the repository's data.
  public var dataFolder: String
  /// The location of the blobs.
  ///
  /// If this is nil, the server uses the location that the data folder records. A new data folder
  /// keeps its blobs in itself.
  public var blobs: BlobLocation?
  /// The credentials for an S3-compatible store.
  ///
  /// If this is nil, they are read from `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and
  /// `AWS_SESSION_TOKEN`.
  public var credentials: S3Credentials?
  /// The address to listen on: a host name or an IP address of this machine.
  public var host = "127.0.0.1"
  /// The port to listen on; 0 chooses a free port.
  public var port = 8090
  /// The maximum number of connections per client address, or per 64-bit IPv6 network.
  ///
  /// 0 means no limit. Use it behind a proxy, because all connections then come from the proxy's
  /// address. Above the limit, the server closes the connections that have waited longest for a
  /// request.
  public var connectionsPerAddress = 256
  /// An additional port that serves only `/healthz` and `/readyz`, without TLS; nil for none.
  ///
  /// Clients can't use up the connections of this port.
  public var healthPort: Int?
  /// The PEM files of a certificate chain and its key.
  ///
  /// If this is nil, the server doesn't use TLS, which suits a server behind a proxy.
  public var certificate: (chain: String, key: String)?
  /// Whether reading requires a token, too; writing always does.
  public var requiresTokenToRead = false
  /// The maximum size of a blob, in bytes.
  public var maximumBlobBytes = 16 << 30
  /// The maximum total size of all blobs and uploads, in bytes.
  ///
  /// If this is nil, only the disk limits it.
  public var quota: Int?
  /// The maximum number of simultaneous uploads per token.
  ///
  /// At the limit, a new upload replaces the one that has been idle longest, if that is at least a
  /// minute.
  public var maximumUploadsPerToken = 256
  /// The number of seconds without a byte after which an upload is discarded.
  public var uploadLifetime: TimeInterval = 24 * 3600
  /// The number of seconds for which a signed document is valid; it is renewed after half of that.
  public var documentLifetime: TimeInterval = 30 * 24 * 3600
  /// The number of seconds for which a blob is kept that no version refers to.
  public var collectionGracePeriod: TimeInterval = 24 * 3600
  /// The minimum rate of a request body, in bytes per second.
  ///
  /// The server rejects a body that is still slower than this after ten seconds.
  public var minimumBodyRate = 1024
  /// The number of seconds for which a connection may be idle.
  public var idleTime = 60
  /// The number of seconds that requests may still take after the server was told to stop.
  public var shutdownTime = 30
  /// The number of free bytes on the disk below which the server isn't ready.
  public var minimumFreeBytes = 256 << 20
  /// The number of bytes to read per second while looking for blobs that were damaged at rest.
  ///
  /// 0 turns the search off. If this is nil, the server reads 4 MB per second when the blobs are in
  /// the data folder, and nothing when they are in S3.
  public var scrubRate: Int?
  /// The source from which damaged and lost blobs are fetched again; nil for none.
  public var mirror: (any BlobMirror)?
  /// The number of bytes that uploads leave free on the disk.
  ///
  /// They are reserved for changes of channels and tokens, for garbage collection and for the audit
  /// log. If this is nil, a twentieth of the disk is reserved, but at least 2 MiB and at most 64
  /// MiB.
  public var reservedBytes: Int?
  /// The program's version.
  public var version = "0"
  /// The current time; tests replace it.
  var now: @Sendable () -> Date = { Date() }
  /// How long, and how often, the server tries to reach an S3-compatible store.
  var storePolicy = S3Client.Policy()
  /// The size limits of requests to an S3-compatible store.
  var limits = S3BlobStore.Limits()
  /// The time after which the minimum body rate is enforced.
  var slowBodyTime = Duration.seconds(10)

  /// Creates options.
  ///
  /// - Parameter dataFolder: The folder that contains the repository's data. It is created if it
  ///   doesn't exist.
  public init(dataFolder: String) { self.dataFolder = dataFolder }
}
#endif
