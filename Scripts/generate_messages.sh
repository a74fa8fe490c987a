#!/usr/bin/env bash
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
#
# Generates the Swift code of the .proto files beside it; run by hand when a .proto file changes.
# Takes minutes the first time: it builds the generator that belongs to the package's SwiftProtobuf.
# Needs protoc (Debian: protobuf-compiler).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

messages=Sources/TensorIOTensorFlow/Messages
checkout=.build/checkouts/swift-protobuf

[ -d "$checkout" ] || swift package resolve
swift build --package-path "$checkout" -c release --product protoc-gen-swift
"${PROTOC:-protoc}" --proto_path="$messages" \
  --plugin="$checkout/.build/release/protoc-gen-swift" \
  --swift_opt=Visibility=Internal --swift_opt=UseAccessLevelOnImports=true \
  --swift_out="$messages" saved_model.proto
