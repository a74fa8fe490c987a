// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import ModelRepositoryAPI
import NIOCore
import NIOHTTP1
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ModelDownload {
  private var path: String { "/v1/models/\(model)/channels/\(configuration.channel)" }

  /// The channel's newest document: verified, meant for this model, and in the state.
  func currentDocument() async throws -> ChannelDocument {
    let known = try folder.readState().channels[configuration.channel.text]
    // What is not good any more is asked for anew, whatever the server thinks has not changed.
    let usable = known.flatMap { known in (try? verified(known.document)) }
    let etag = usable == nil ? nil : known?.etag
    let fetched = try await exchange.retrying { try await fetchDocument(etag) }
    guard let fetched else {
      guard let usable else {
        throw ModelRepositoryClientError(
          .serverError,
          "'\(exchange.server.appending(path).shown)' is said not to have changed, "
            + "which was not asked.")
      }
      return usable
    }
    try cache.surroundings.reached(.documentFetched)
    let document = try verified(fetched.signed)
    try await BlockingWork.run { try record(document, fetched.signed, fetched.etag) }
    return document
  }

  /// Asks for the channel's document; nil where it is the one with the tag.
  func fetchDocument(
    _ etag: String?
  ) async throws -> (signed: SignedDocument, etag: String?)? {
    var fields = HTTPHeaders([("accept", "application/json")])
    if let etag { fields.add(name: "if-none-match", value: etag) }
    let response = try await exchange.get(path, fields)
    switch response.status.code {
    case 304: return nil
    case 200: break
    default:
      var error = ModelRepositoryClientError(
        .serverError,
        "'\(exchange.server.appending(path).shown)': the server answered \(response.status).")
      error.status = Int(response.status.code)
      throw error
    }
    let bytes = try await exchange.body(of: response, path, upTo: ChannelDocument.maximumBytes)
    do {
      let signed = try RepositoryJSON.decode(
        SignedDocument.self, from: Data(bytes.readableBytesView))
      return (signed, response.headers.first(name: "etag"))
    } catch {
      throw ModelRepositoryClientError(
        .invalidDocument,
        "'\(exchange.server.appending(path).shown)' is no signed document: \(error)", cause: error)
    }
  }

  /// The document, if it is by a pinned key, of this model and channel, and not expired.
  func verified(_ signed: SignedDocument) throws -> ChannelDocument {
    let document: ChannelDocument
    do {
      document = try signed.verified(by: configuration.keys)
    } catch let error as RepositoryError {
      throw ModelRepositoryClientError(
        error.code == .untrusted ? .untrusted : .invalidDocument, error.message, cause: error)
    }
    guard document.model == model, document.channel == configuration.channel else {
      throw ModelRepositoryClientError(
        .untrusted,
        "The server sent the document of channel '\(document.channel)' of '\(document.model)' for "
          + "channel '\(configuration.channel)' of '\(model)'.")
    }
    let now = cache.surroundings.now()
    guard now < document.expires else {
      throw ModelRepositoryClientError(
        .expired,
        "The document of channel '\(document.channel)' of '\(model)' expired at \(document.expires), "
          + "and it is \(now). Check the clock, or let the server sign anew.")
    }
    return document
  }

  private func record(
    _ document: ChannelDocument, _ signed: SignedDocument, _ etag: String?
  ) throws {
    let channel = document.channel.text
    try folder.withState { state in
      let seen = state.channels[channel]?.documentVersion ?? 0
      guard seen <= document.documentVersion else { throw replayed(document, seen: seen) }
      state.channels[channel] = ModelState.Channel(
        documentVersion: document.documentVersion, etag: etag, document: signed)
      state.removeUnsafe(below: document.minimumSafeSequence)
    }
  }

  /// Somebody sends what was true once.
  func replayed(_ document: ChannelDocument, seen: Int) -> ModelRepositoryClientError {
    ModelRepositoryClientError(
      .replayed,
      "The server sent version \(document.documentVersion) of the document of channel "
        + "'\(document.channel)' of '\(model)', but version \(seen) was seen before.")
  }
}
