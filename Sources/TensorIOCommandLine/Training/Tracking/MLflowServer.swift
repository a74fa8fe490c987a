// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CCurl
import CSystemCalls
import ModelTools
import TensorIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The REST interface of an MLflow tracking server.
struct MLflowServer: Sendable {
  /// The address without a slash at its end.
  let address: String
  private let authorization: String?

  /// Takes the address, and the credentials from MLflow's environment variables.
  ///
  /// - Throws: `TensorIOError` when it isn't the URL of a server.
  init(_ address: String) throws {
    guard address.hasPrefix("http://") || address.hasPrefix("https://") else {
      throw TensorIOError(
        .invalidOption,
        "--mlflow takes the URL of a tracking server, such as http://localhost:5000, got '\(address)'."
      )
    }
    self.address = address.hasSuffix("/") ? String(address.dropLast()) : address
    func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    if let token = variable("MLFLOW_TRACKING_TOKEN") {
      authorization = "Bearer \(token)"
    } else if let user = variable("MLFLOW_TRACKING_USERNAME") {
      let pair = user + ":" + (variable("MLFLOW_TRACKING_PASSWORD") ?? "")
      authorization = "Basic " + Data(pair.utf8).base64EncodedString()
    } else {
      authorization = nil
    }
  }

  /// An error that the server describes.
  struct Refusal: Error {
    var code: String
    var message: String
  }

  /// Calls a function of the interface, and blocks the thread until the server has answered.
  ///
  /// - Parameters:
  ///   - function: Its path, such as `runs/create`.
  ///   - fields: What is sent.
  /// - Returns: What the server returns.
  /// - Throws: `Refusal` when the server refuses it, or `TensorIOError` when it can't be reached.
  func call(_ function: String, _ fields: [String: JSONValue]) throws -> [String: JSONValue] {
    var request = ObjectRequest(
      name: address, url: "\(address)/api/2.0/mlflow/\(function)", store: nil)
    request.body = try JSONValue.object(fields).text()
    request.authorization = authorization
    let transfer = try Transfer(request, isFile: true)
    let answer = transfer.wait(for: .max)
    // The bytes belong to the transfer.
    let bytes = withExtendedLifetime(transfer) {
      Data(UnsafeBufferPointer(start: answer.bytes, count: answer.count))
    }
    let json = try? JSONValue(parsing: bytes)
    guard answer.code == 0, answer.status == 200 else {
      if answer.code == 0, case .object(let fault) = json,
        case .string(let code) = fault["error_code"]
      {
        let message = if case .string(let text) = fault["message"] { text } else { code }
        throw Refusal(code: code, message: message)
      }
      throw FetchFailure(answer, of: request).error
    }
    guard case .object(let result) = json else {
      throw TensorIOError(
        .unreadableFile,
        "'\(address)' isn't an MLflow server: it answers \(function) with something else than JSON."
      )
    }
    return result
  }
}
