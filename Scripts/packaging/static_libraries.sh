#!/usr/bin/env bash
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
#
# Fills a folder with static libraries to link programs with.
#
#   Scripts/packaging/static_libraries.sh FOLDER            all libraries that a wheel's programs contain
#   Scripts/packaging/static_libraries.sh --codecs FOLDER   only libjpeg, libpng, libwebp and zlib, if
#                                                           the system has all of them
#
# The linker takes a library from the first folder that has it in any form. This folder has only static
# libraries, so they are used if the folder comes first:
#
#   swift build ... -Xswiftc -LFOLDER -Xlinker -lstdc++ -Xlinker --undefined=sqlite3_open_v2 -Xlinker -lsqlite3
#
# -Xlinker -LFOLDER doesn't work, because it comes after the system's folders. The second -lstdc++ is for
# Swift's archives, which come after the first one. gold and GNU's linker search an archive only once,
# unlike lld.
#
# An archive that needs another one becomes a linker script that names both. libgcc_s stands for the part
# of GCC's library that unwinds the stack. The programs then need only glibc. libcrypto, libcurl and
# libzip are opened at run time.
#
# Exit codes: 64 wrong usage, 69 a static library is missing.
set -euo pipefail

codecs=no
if [ "${1:-}" = --codecs ]; then
  codecs=yes
  shift
fi
if [ $# != 1 ]; then
  echo "usage: Scripts/packaging/static_libraries.sh [--codecs] FOLDER" >&2
  exit 64
fi
folder="$1"
compiler="${CC:-}"
for name in gcc cc clang; do
  if [ -z "$compiler" ] && command -v "$name" >/dev/null; then compiler="$name"; fi
done
if [ -z "$compiler" ] && [ "$codecs" = yes ]; then exit 0; fi
[ -n "$compiler" ] || { echo "error: gcc or clang is needed to find libraries" >&2; exit 69; }

# Prints the path of lib$1.a.
find_library() {
  local path
  path="$("$compiler" -print-file-name="lib$1.a")"
  case "$path" in
    /*) readlink -f "$path" ;;
    *)
      echo "error: lib$1.a is missing; the package with the library's headers has it" >&2
      exit 69
      ;;
  esac
}

has_library() { case "$("$compiler" -print-file-name="lib$1.a")" in /*) ;; *) false ;; esac; }

# Makes lib$1.a from the archive $2 and the archives after it.
link_library() {
  local name="$1" path paths=""
  shift
  for name_of_archive in "$@"; do
    path="$(find_library "$name_of_archive")"
    paths="$paths $path"
  done
  rm -f "$folder/lib$name.a"
  if [ $# = 1 ]; then
    ln -s "$path" "$folder/lib$name.a"
  else
    echo "GROUP ($paths )" >"$folder/lib$name.a"
  fi
}

mkdir -p "$folder"
rm -f "$folder"/lib*.a
if [ "$codecs" = yes ]; then
  for name in jpeg z png16 webp; do
    # If one is missing, the shared libraries are used instead.
    has_library "$name" || exit 0
  done
  for name in jpeg z; do link_library "$name" "$name"; done
else
  for name in jpeg z sqlite3 stdc++; do link_library "$name" "$name"; done
  link_library gcc_s gcc_eh
fi
link_library png png16 z
link_library png16 png16 z
# Since version 1.3, libwebp has a separate library for colours.
if has_library sharpyuv; then link_library webp webp sharpyuv; else link_library webp webp; fi
