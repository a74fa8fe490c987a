#!/usr/bin/env bash
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
#
# Makes a .tar.gz of the installed files, and prints its path.
#
#   Scripts/packaging/archive.sh                      from .build/wheel-build/release
#   Scripts/packaging/archive.sh PROGRAMS [FOLDER]    from another folder of programs, into another one
#
# Users can unpack it anywhere, because the programs find everything relative to their own path. The
# variables of install.sh apply. SOURCE_DATE_EPOCH is the time of every file (default: the time of the
# last commit).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if [ $# -gt 2 ]; then
  echo "usage: Scripts/packaging/archive.sh [PROGRAMS [FOLDER]]" >&2
  exit 64
fi
packages="${2:-.build/packages}"
version="$(Scripts/packaging/version.sh)"
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
name="tensorio-$version-linux-$(uname -m)"
temporary="$(mktemp -d)"
trap 'rm -rf "$temporary"' EXIT

PROGRAMS="${1:-.build/wheel-build/release}" PREFIX="/$name" DESTDIR="$temporary" \
  Scripts/packaging/install.sh install
mkdir -p "$packages"
tar --create --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
  --directory "$temporary" "$name" | gzip -9n >"$packages/$name.tar.gz"
echo "$packages/$name.tar.gz"
