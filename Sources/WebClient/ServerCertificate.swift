// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if ModelHosting
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// Examines a server's certificate to explain why it was refused.
///
/// The TLS libraries only say that it was refused.
enum ServerCertificate {
  /// The time limit for the examination.
  private static let longest = TimeAmount.seconds(1)

  /// Finds out what is wrong with a server's certificate.
  ///
  /// - Returns: The end of a sentence that starts with the server's address, or nil if nothing was
  ///   found.
  static func fault(ofHost host: String, port: Int) -> EventLoopFuture<String?> {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    return certificate(ofHost: host, port: port, on: loop).map { certificate in
      certificate.flatMap { fault(of: $0, at: .now) }
    }.flatMapErrorThrowing { _ in nil }
  }

  private static func fault(of certificate: NIOSSLCertificate, at now: Date) -> String? {
    func day(_ seconds: time_t) -> String {
      Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601.year().month().day())
    }
    let time = time_t(now.timeIntervalSince1970)
    if certificate.notValidAfter < time {
      return
        "has a certificate that expired on \(day(certificate.notValidAfter)); renew it on the "
        + "server, or correct this machine's clock"
    }
    if certificate.notValidBefore > time {
      return
        "has a certificate that isn't valid before \(day(certificate.notValidBefore)); correct "
        + "this machine's clock"
    }
    return nil
  }

  private static func certificate(
    ofHost host: String, port: Int, on loop: any EventLoop
  ) -> EventLoopFuture<NIOSSLCertificate?> {
    let found = loop.makePromise(of: NIOSSLCertificate?.self)
    // Several events complete the promise, but it may be completed only once.
    let isOpen = Mutex(true)
    @Sendable func complete(_ certificate: NIOSSLCertificate?) {
      let isFirst = isOpen.withLock { isOpen in
        defer { isOpen = false }
        return isOpen
      }
      if isFirst { found.succeed(certificate) }
    }
    loop.scheduleTask(in: longest) { complete(nil) }
    let isName = (try? SocketAddress(ipAddress: host, port: port)) == nil
    ClientBootstrap(group: loop).connectTimeout(longest).channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture {
        let context = try NIOSSLContext(configuration: .makeClientConfiguration())
        try channel.pipeline.syncOperations.addHandler(
          NIOSSLClientHandler(context: context, serverHostname: isName ? host : nil) {
            (certificates: [NIOSSLCertificate], verdict: EventLoopPromise<NIOSSLVerificationResult>)
            in
            complete(certificates.first)
            verdict.succeed(NIOSSLVerificationResult.failed)
          })
      }
    }.connect(host: host, port: port).whenComplete { result in
      switch result {
      case .success(let channel):
        channel.closeFuture.whenComplete { _ in complete(nil) }
        found.futureResult.whenComplete { _ in channel.close(promise: nil) }
      case .failure: complete(nil)
      }
    }
    return found.futureResult
  }
}
#endif
