// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
import Foundation
import Hummingbird
import NIOCore
import WebServing

struct WebContext: ConnectionContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel
  let notes = RequestNotes()

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  func modelID() throws -> String {
    let id = parameters.get("id")?.removingPercentEncoding ?? ""
    guard !id.isEmpty, id.utf8.count <= 200 else { throw WebError.noModel(id) }
    return id
  }
}
#endif
