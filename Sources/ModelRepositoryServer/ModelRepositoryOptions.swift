// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
public import Foundation

/// How a model repository is set up.
public struct ModelRepositoryOptions: Sendable {
  /// Where everything is kept.
  public var dataFolder: String
  /// Where the blobs are; nil for where the data folder says that they are, which is itself at
  /// first.
  public var blobs: BlobPlace?
  /// Who asks a store that speaks S3; nil reads `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and
  /// `AWS_SESSION_TOKEN`.
  public var credentials: S3Credentials?
  /// The address to listen on; a name or number of this machine.
  public var host = "127.0.0.1"
  /// The port; 0 takes one that is free.
  public var port = 8090
  /// How many connections a client's address may have, or an IPv6 network of 64 bits.
  ///
  /// 0 is any number, as behind a proxy, from which all connections come. Where there are more, those
  /// are closed that have waited the longest for a request.
  public var connectionsPerAddress = 256
  /// A further port that answers `/healthz` and `/readyz` only, without TLS; nil for none.
  ///
  /// Clients cannot take its connections.
  public var healthPort: Int?
  /// The files of a certificate and its key, in PEM; nil serves without TLS, as behind a proxy.
  public var certificate: (chain: String, key: String)?
  /// Whether reading needs a token too; writing always does.
  public var requiresTokenToRead = false
  /// The most bytes that a blob may have.
  public var maximumBlobBytes = 16 << 30
  /// The most bytes that all blobs and uploads may have; nil leaves it to the disk.
  public var quota: Int?
  /// How many uploads a token may have under way; one that was idle for a minute makes room.
  public var maximumUploadsPerToken = 256
  /// After how many seconds without a byte an upload is given up.
  public var uploadLifetime: TimeInterval = 24 * 3600
  /// For how many seconds a signed document is good; it is renewed after half of that.
  public var documentLifetime: TimeInterval = 30 * 24 * 3600
  /// For how many seconds a blob that no version names is kept.
  public var collectionGracePeriod: TimeInterval = 24 * 3600
  /// How many bytes a second a body must bring; a slower one is ended, after ten seconds.
  public var minimumBodyRate = 1024
  /// For how many seconds a connection may be silent.
  public var idleTime = 60
  /// How many seconds the last answers may take once the server is told to end.
  public var shutdownTime = 30
  /// The server is not ready where its disk has fewer free bytes.
  public var minimumFreeBytes = 256 << 20
  /// How many bytes a second are read to find blobs that were damaged at rest; 0 reads none, and nil
  /// reads 4 MB a second where the blobs are in the data folder and none where they are in S3.
  public var scrubRate: Int?
  /// From where damaged and lost blobs are fetched again; nil for nowhere.
  public var mirror: (any BlobMirror)?
  /// How many free bytes of the disk uploads leave to changes of channels and tokens, to garbage
  /// collection and to the audit log; nil leaves a twentieth of the disk, from 2 to 64 MiB.
  public var reservedBytes: Int?
  /// The program's version.
  public var version = "0"
  /// The clock; tests move it.
  var now: @Sendable () -> Date = { Date() }
  /// How long a store that speaks S3 is waited for.
  var retryPolicy = S3Client.RetryPolicy()
  /// From which sizes on things are done otherwise in such a store.
  var limits = S3BlobStore.Limits()
  /// For how long a body may be slow.
  var slowBodyTime = Duration.seconds(10)

  /// Makes options.
  ///
  /// - Parameter dataFolder: Where everything is kept; it is made where it is not there.
  public init(dataFolder: String) { self.dataFolder = dataFolder }
}
#endif
