// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Hummingbird
import ModelRepositoryAPI
import NIOCore
import Synchronization
import WebServing

struct WebContext: ConnectionContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel
  /// The request's token, which was verified.
  var token: TokenRecord?
  /// The facts for the log that are only known after the request was handled.
  let notes = RequestNotes()

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }
}

/// The facts that the log reports about a request.
final class RequestNotes: Sendable {
  private let tokenID = Mutex<String?>(nil)
  private let bytes = Atomic(0)

  /// The token's id.
  var token: String? {
    get { tokenID.withLock { $0 } }
    set { tokenID.withLock { $0 = newValue } }
  }

  /// The number of bytes of the response's body that were sent.
  var sent: Int { bytes.load(ordering: .relaxed) }

  /// Records that more bytes of the body were sent.
  func addSent(_ count: Int) { bytes.add(count, ordering: .relaxed) }
}
#endif
