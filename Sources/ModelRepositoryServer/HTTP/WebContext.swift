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
  let notes = RequestNotes()

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }
}

/// The facts that the log reports about a request, known only after it was handled.
final class RequestNotes: Sendable {
  private let tokenID = Mutex<String?>(nil)
  private let bytes = Atomic(0)

  var token: String? {
    get { tokenID.withLock { $0 } }
    set { tokenID.withLock { $0 = newValue } }
  }

  /// The number of bytes of the response's body that were sent.
  var sent: Int { bytes.load(ordering: .relaxed) }

  func addSent(_ count: Int) { bytes.add(count, ordering: .relaxed) }
}
#endif
