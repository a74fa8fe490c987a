// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
import CTensorFlow
import TensorIO

/// Loads a SavedModel into memory, and explains why one cannot be loaded.
struct SavedModelLoading {
  let library: TensorFlowLibrary
  let configuration: TensorFlowConfiguration

  private var functions: TensorFlowFunctions { library.functions }

  /// A loaded graph with its session.
  struct Loaded {
    let graph: TensorFlowGraph
    let session: OpaquePointer
    let metaGraph: MetaGraphMessage
    let isRepaired: Bool
  }

  /// Loads the graph with a tag.
  ///
  /// If the file has only one graph, that graph is loaded whatever its tags are.
  func load(_ folder: SavedModelFolder, tag: String) throws -> Loaded {
    do {
      do {
        return try loadRepairing(folder, tags: [tag])
      } catch let failure as TensorFlowFailure where failure.concernsTags {
        let tags = try folder.tags()
        guard tags.count == 1 else { throw missingTag(tag, tags, folder) }
        return try loadRepairing(folder, tags: tags[0])
      }
    } catch let failure as TensorFlowFailure {
      throw error(for: failure, folder)
    }
  }

  private func loadRepairing(_ folder: SavedModelFolder, tags: [String]) throws -> Loaded {
    do {
      return try loadOnce(folder, tags: tags, isRepaired: false)
    } catch let failure as TensorFlowFailure where failure.concernsOutputShapes {
      return try folder.withRepairedCopy { try loadOnce($0, tags: tags, isRepaired: true) }
    }
  }

  private func loadOnce(
    _ folder: SavedModelFolder, tags: [String], isRepaired: Bool
  ) throws -> Loaded {
    let graph = try TensorFlowGraph(library)
    let buffer = functions.NewBuffer()
    let options = functions.NewSessionOptions()
    let words = tags.map { UnsafePointer(strdup($0)) }
    defer {
      functions.DeleteBuffer(buffer)
      functions.DeleteSessionOptions(options)
      for word in words { free(UnsafeMutablePointer(mutating: word)) }
    }
    let configuration = configuration.bytes
    try library.checking { functions.SetConfig(options, configuration, configuration.count, $0) }
    let session = try library.checking { status in
      functions.LoadSessionFromSavedModel(
        options, nil, folder.path, words, Int32(words.count), graph.handle, buffer, status)
    }
    guard let session, let buffer else {
      throw TensorIOError(.internalFault, "TensorFlow returned no session for '\(folder.path)'.")
    }
    do {
      return Loaded(
        graph: graph, session: session, metaGraph: try metaGraph(in: buffer, folder),
        isRepaired: isRepaired)
    } catch {
      library.close(session)
      throw error
    }
  }

  private func metaGraph(
    in buffer: UnsafeMutablePointer<TF_Buffer>, _ folder: SavedModelFolder
  ) throws -> MetaGraphMessage {
    guard let start = buffer.pointee.data else { return MetaGraphMessage() }
    do {
      return try MetaGraphMessage(
        [UInt8](UnsafeRawBufferPointer(start: start, count: buffer.pointee.length))[...])
    } catch {
      throw TensorIOError(
        .invalidModel,
        "The signatures of '\(folder.path)' cannot be read: they aren't a valid "
          + "MetaGraphDef message.", cause: error)
    }
  }

  // MARK: - Errors

  private func missingTag(
    _ tag: String, _ found: [[String]], _ folder: SavedModelFolder
  ) -> TensorIOError {
    let list = quotedList(found.map { $0.joined(separator: ",") })
    return TensorIOError(
      .invalidModel,
      "'\(folder.path)' has no graph with the tag '\(tag)'. "
        + (found.isEmpty
          ? "It has no graphs at all. Export the model again."
          : "Its graphs have the tags \(list). Export the model with a graph for '\(tag)'."))
  }

  private func error(
    for failure: TensorFlowFailure, _ folder: SavedModelFolder
  ) -> TensorIOError {
    failure.missingOperation(in: "The model '\(folder.path)'")
      ?? TensorIOError(
        .invalidModel,
        "TensorFlow cannot load '\(folder.path)': \(failure.message)"
          + (failure.message.hasSuffix(".") ? " " : ". ")
          + (failure.isOfSystem
            ? "Check that the files can be read, and that the machine has enough memory, disk "
              + "space and file descriptors."
            : "Export the model again, or copy the whole folder."))
  }
}

extension TensorFlowFailure {
  /// Returns the error for an operation that this TensorFlow doesn't have, or nil for another
  /// failure.
  func missingOperation(in subject: String) -> TensorIOError? {
    for beginning in ["Op type not registered '", "No OpKernel was registered to support Op '"] {
      guard let range = message.firstRange(of: beginning) else { continue }
      let operation = message[range.upperBound...].prefix { $0 != "'" }
      return TensorIOError(
        .unsupportedModel,
        "\(subject) needs the operation '\(operation)', which this version of TensorFlow doesn't "
          + "have"
          + (operation.hasPrefix("BoostedTrees")
            ? ": releases since 2.0 don't have boosted trees. Train the model again with another "
              + "library."
            : ". Export the model with TensorFlow 2 operations."))
    }
    return nil
  }
}

extension TensorFlowFailure {
  private static let missingVariableText = "Could not find variable "

  /// Returns the error for a variable that the SavedModel lacks, or nil for another failure.
  ///
  /// `tf.saved_model.save` only writes the variables that it finds from the exported object, although
  /// its functions use others.
  func missingVariable(in subject: String) -> TensorIOError? {
    guard let range = message.firstRange(of: Self.missingVariableText) else { return nil }
    let name = message[range.upperBound...].prefix { $0 != " " }
    let variable = name.last == "." ? name.dropLast() : name
    return TensorIOError(
      .invalidModel,
      "\(subject) uses the variable '\(variable)', but the SavedModel doesn't have it. When it was "
        + "exported, the object didn't refer to the variable. For Keras 3, export an ExportArchive "
        + "with add_variable_collection(\"optimizer\", optimizer.variables), or keep the variables in "
        + "the tf.Module: self.kept = [v.value for v in network.variables + optimizer.variables].")
  }
}
