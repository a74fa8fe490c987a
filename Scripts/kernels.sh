#!/usr/bin/env bash
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
#
# Checks that all variants of Sources/CPixelKernels compute the same bytes and stay within their arrays.
#
# The script compiles Tests/Kernels/kernels.c with each variant and runs it. The variants are plain C,
# every instruction level of this machine's processor, and NEON under qemu on x86-64. This machine's
# variants also run under the address and undefined behaviour sanitizers. Every variant must print the
# same as plain C without optimization.
#
# The compiler is clang, because SwiftPM uses it. gcc ignores the pragma that prevents fused
# multiply-adds. CC may name another clang.
#
# Exit codes: 0 all are the same, 1 some differ, 69 something that the comparison needs is missing.
# This is plain bash 3.2, because macOS has no later version.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

clang="${CC:-clang}"
sources="Tests/Kernels/kernels.c Sources/CPixelKernels/*.c"
flags="-std=c17 -D_GNU_SOURCE -Wall -Wextra -ISources/CPixelKernels/include"
trapping="-fsanitize=undefined -fsanitize-trap=undefined"
# Without these macros, resample.c uses the variant for other processors.
scalar="-U__SSE2__ -U__ARM_NEON"
result=0

temporary="$(mktemp -d)"
trap 'rm -rf "$temporary"' EXIT

say() { printf '%s\n' "$*"; }

differs() {
  say "$*"
  result=1
}

unavailable() {
  say "error: $*" >&2
  exit 69
}

# These variables are unquoted, because they are lists of words.
# shellcheck disable=SC2086
build() {
  "$clang" $flags "$@" $sources -o "$temporary/kernels"
}

# shellcheck disable=SC2086
build_arm() {
  local source object objects=""
  for source in $sources; do
    object="$temporary/$(basename "$source" .c).o"
    "$clang" --target=aarch64-linux-gnu -nostdlibinc -isystem "$arm/include" $flags "$@" \
      -c "$source" -o "$object"
    objects="$objects $object"
  done
  aarch64-linux-gnu-gcc -static $objects -o "$temporary/kernels"
}

# compare NAME LEVEL [EMULATOR]: runs the last build and compares its output.
compare() {
  local name="$1" level="$2" code=0 line function expected
  shift 2
  "$@" "$temporary/kernels" "$level" >"$temporary/output" 2>"$temporary/messages" || code=$?
  if [ "$code" = 69 ]; then
    say "not run    $name: this processor has no $level"
    return
  fi
  if [ "$code" != 0 ]; then
    differs "failed     $name, with exit code $code"
    cat "$temporary/output" "$temporary/messages"
    return
  fi
  if cmp -s "$temporary/expected" "$temporary/output"; then
    say "same       $name"
    return
  fi
  differs "different  $name"
  while read -r function line; do
    expected="$(awk -v name="$function" '$1 == name { print $2 }' "$temporary/expected")"
    if [ "$line" != "$expected" ]; then say "           $function $line"; fi
  done <"$temporary/output"
}

# compare_levels NAME: compares every instruction level.
compare_levels() {
  local level
  for level in $levels; do compare "$1, $level" "$level"; done
}

# Whether this clang has the sanitizers' libraries. gold warns about them, so lld is tried first.
has_sanitizers() {
  local linker
  echo 'int main(void) { return 0; }' >"$temporary/empty.c"
  for linker in -fuse-ld=lld ""; do
    # shellcheck disable=SC2086
    if "$clang" $sanitizers $linker "$temporary/empty.c" -o "$temporary/empty" 2>/dev/null &&
      "$temporary/empty"; then
      sanitizers="$sanitizers $linker"
      return 0
    fi
  done
  return 1
}

case "$("$clang" --version 2>/dev/null || true)" in
  *clang*) ;;
  *) unavailable "this needs clang, which Swift's toolchain has; set CC to it" ;;
esac
machine="$(uname -m)"
case "$machine" in
  x86_64) levels="baseline avx2 avx512" ;;
  aarch64 | arm64) levels="baseline" ;;
  *) unavailable "there is nothing but plain C for $machine" ;;
esac

# shellcheck disable=SC2086
build -O0 $scalar
"$temporary/kernels" baseline >"$temporary/expected" || {
  cat "$temporary/expected"
  differs "failed     plain C, -O0"
  exit 1
}
cat "$temporary/expected"
for function in $(grep -oE 'pixel_[a-z_]+\(' Sources/CPixelKernels/include/CPixelKernels.h |
  tr -d '(' | grep -vE '_instructions$'); do
  grep -q "^$function " "$temporary/expected" ||
    differs "missing    $function is not in Tests/Kernels/kernels.c"
done
say
say "same       plain C, $machine, -O0: the reference"

# shellcheck disable=SC2086
build -O2 $scalar
compare "plain C, $machine, -O2" baseline
for optimization in -O0 -O2; do
  build "$optimization"
  compare_levels "$machine, $optimization"
done
sanitizers="-fsanitize=address,undefined -fno-sanitize-recover=all"
if has_sanitizers; then
  # shellcheck disable=SC2086
  build -O1 -g $sanitizers
  export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=0}"
  compare_levels "$machine, sanitizers"
  # shellcheck disable=SC2086
  build -O1 -g $sanitizers $scalar
  compare "plain C, $machine, sanitizers" baseline
else
  say "not run    sanitizers: this clang has none"
fi

if [ "$machine" = x86_64 ]; then
  arm=/usr/aarch64-linux-gnu
  if [ ! -e "$arm/include/stdio.h" ] || ! command -v aarch64-linux-gnu-gcc >/dev/null ||
    ! command -v qemu-aarch64 >/dev/null; then
    if [ "$result" != 0 ]; then exit "$result"; fi
    unavailable "aarch64 was not compared. What that needs, on Debian and Ubuntu:" \
      "apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user"
  fi
  for optimization in -O0 -O2; do
    build_arm "$optimization"
    compare "aarch64, $optimization" baseline qemu-aarch64
  done
  # shellcheck disable=SC2086
  build_arm -O1 $trapping
  compare "aarch64, traps of undefined behaviour" baseline qemu-aarch64
  # shellcheck disable=SC2086
  build_arm -O2 $scalar
  compare "plain C, aarch64, -O2" baseline qemu-aarch64
fi
exit "$result"
