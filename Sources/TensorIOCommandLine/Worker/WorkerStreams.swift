// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import CSystemCalls
import Dispatch
import TensorIO
import WorkerProtocol

/// The standard streams of a worker, which carry the protocol.
struct WorkerStreams {
  let input: Int32
  let output: Int32

  /// Takes the standard streams away from everything else in this process.
  ///
  /// Whatever a model or its runtime writes to standard output afterwards goes to standard error, and
  /// standard input seems to be empty.
  ///
  /// - Throws: `TensorIOError` if a stream is closed.
  static func takeOver() throws -> WorkerStreams {
    let streams = WorkerStreams(
      input: copy_descriptor(STDIN_FILENO), output: copy_descriptor(STDOUT_FILENO))
    guard streams.input >= 0, streams.output >= 0 else {
      throw TensorIOError(
        .invalidOption,
        "A worker needs standard input for its items and standard output for the answers, but one of "
          + "them is closed.")
    }
    let nowhere = open_file("/dev/null", O_RDWR, 0)
    _ = dup2(nowhere, STDIN_FILENO)
    if dup2(STDERR_FILENO, STDOUT_FILENO) < 0 { _ = dup2(nowhere, STDOUT_FILENO) }
    if nowhere > STDERR_FILENO { close(nowhere) }
    // A parent that is gone is an error of the write, not a signal.
    signal(SIGPIPE, SIG_IGN)
    return streams
  }

  /// Ends this process as soon as nobody can read its answers any more, even while a model runs.
  func endWithReader() {
    let output = output
    DispatchQueue(label: "tensorio.worker.reader").async {
      var one = pollfd(fd: output, events: 0, revents: 0)
      while poll(&one, 1, -1) < 1 || Int32(one.revents) & (POLLERR | POLLHUP) == 0 {
        // A descriptor that can't be watched, such as a closed one, would end every wait at once.
        if Int32(one.revents) & POLLNVAL != 0 { return }
      }
      _exit(0)
    }
  }
}

/// The system's reason why a stream can't be read.
struct ReadFailure: Error {
  let number: Int32

  var message: String { String(cString: strerror(number)) }
}

/// Reads and writes descriptors, also those that other processes have made non-blocking.
enum Descriptor {
  /// Waits until there is something to read, or the stream has ended.
  ///
  /// - Returns: Whether there is, before the time is over or a signal arrives.
  static func isReadable(_ descriptor: Int32, withinMilliseconds time: Int32) -> Bool {
    var one = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&one, 1, time) > 0
  }

  /// Reads what is there, and waits for it if necessary; nil at the end of the stream.
  ///
  /// - Throws: ``ReadFailure`` if the system can't read it.
  static func read(
    _ descriptor: Int32, into buffer: inout [UInt8]
  ) throws(ReadFailure) -> ArraySlice<UInt8>? {
    while true {
      let count = buffer.withUnsafeMutableBytes { bytes in
        CSystemCalls.read(descriptor, bytes.baseAddress, bytes.count)
      }
      if count > 0 { return buffer[..<count] }
      if count < 0 && errno == EINTR { continue }
      guard count < 0 else { return nil }
      guard errno == EAGAIN else { throw ReadFailure(number: errno) }
      _ = isReadable(descriptor, withinMilliseconds: -1)
    }
  }

  /// Writes all bytes.
  ///
  /// - Returns: The number of the system's error, or nil if the other side took them.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let part = UnsafeRawBufferPointer(rebasing: rest)
        let count = CSystemCalls.write(descriptor, part.baseAddress, part.count)
        if count >= 0 {
          rest = rest.dropFirst(count)
        } else if errno == EAGAIN {
          var one = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          _ = poll(&one, 1, -1)
        } else if errno != EINTR {
          return errno
        }
      }
      return nil
    }
  }
}
