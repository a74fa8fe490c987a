// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Hummingbird
import ModelRepositoryAPI
import NIOCore
import Synchronization

/// What the server keeps of a request beside the request itself.
struct WebContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The connection, which is closed where its client would go on sending what was refused.
  let channel: any Channel
  /// The token that the request bears, which was checked.
  var token: TokenRecord?
  /// What is known of the request only when it was worked on, for the log.
  let notes = RequestNotes()

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }
}

/// What the log tells of a request.
final class RequestNotes: Sendable {
  private let tokenID = Mutex<String?>(nil)
  private let bytes = Atomic(0)

  /// The token's id.
  var token: String? {
    get { tokenID.withLock { $0 } }
    set { tokenID.withLock { $0 = newValue } }
  }

  /// How many bytes of the answer's body were sent.
  var sent: Int { bytes.load(ordering: .relaxed) }

  /// Notes that more bytes of it were sent.
  func addSent(_ count: Int) { bytes.add(count, ordering: .relaxed) }
}
#endif
