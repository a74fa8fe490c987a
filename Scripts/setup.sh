#!/usr/bin/env bash
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
#
# Installs the missing dependencies to build and run TensorIO, and prints nothing if all are installed.
#
#   Scripts/setup.sh                the headers and libraries for the compiler, and LiteRT
#   Scripts/setup.sh --tensorflow   the same, and the TensorFlow library
#   Scripts/setup.sh --peers        the same as without options, and a Python environment with the
#                                   libraries that tests compare results with; prints its python's path
#   Scripts/setup.sh --measuring    the same as without options, and tools that measure instructions
#                                   and memory
#
# The options can be combined in any order.
#
# Exit codes: 64 wrong usage, 66 a named file is missing, 69 something could not be installed.
# This is plain bash 3.2, because macOS has no later version.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
python="${PYTHON:-python3}"
peers="$root/.build/peers"
requirements="$root/Tools/requirements.txt"

say() { printf '%s\n' "$*" >&2; }

fail() {
  local code="$1"
  shift
  say "error: $*"
  exit "$code"
}

# The package names of Debian and Ubuntu, with the files that show that a package is installed. The name
# for pkg-config also finds libraries in a folder of the user.
#
# package        pkg-config  header         library
libraries="
libjpeg-dev      libjpeg     jpeglib.h      libjpeg.so
libpng-dev       libpng      png.h          libpng.so
zlib1g-dev       zlib        zlib.h         libz.so
libwebp-dev      libwebp     webp/decode.h  libwebp.so
libzip-dev       libzip      zip.h          libzip.so
libcurl4         -           -              libcurl.so.4
libssl3          -           -              libcrypto.so.3
libsqlite3-dev   sqlite3     sqlite3.h      libsqlite3.so
libstdc++6       -           -              libstdc++.so.6
libsndfile1      -           -              libsndfile.so.1
"
commands="git make pkg-config"

# Whether FILE is in one of the folders.
is_in() {
  local file="$1" folder
  shift
  for folder in "$@"; do
    if [ -e "$folder/$file" ]; then return 0; fi
  done
  return 1
}

has_library() {
  local name="$1" header="$2" library="$3" multiarch
  multiarch="$(uname -m)-linux-gnu"
  if [ "$header" = - ] || is_in "$header" /usr/include "/usr/include/$multiarch" /usr/local/include
  then
    if is_in "$library" "/usr/lib/$multiarch" "/lib/$multiarch" /usr/lib64 /usr/lib /usr/local/lib
    then return 0; fi
  fi
  [ "$name" != - ] && command -v pkg-config >/dev/null && pkg-config --exists "$name" 2>/dev/null
}

python_has() {
  "$python" -c 'import sys; from importlib.util import find_spec
sys.exit(not all(map(find_spec, sys.argv[1:])))' "$@" 2>/dev/null
}

# Prints the missing packages. $1: whether pip is needed, $2: whether venv is needed, $3: whether a browser
# is needed, $4: whether valgrind and GNU time are needed.
missing_packages() {
  local package name header library command
  while read -r package name header library; do
    if [ -z "$package" ]; then continue; fi
    has_library "$name" "$header" "$library" || echo "$package"
  done <<<"$libraries"
  for command in $commands; do
    command -v "$command" >/dev/null || echo "$command"
  done
  compgen -G '/etc/ssl/certs/*.crt' >/dev/null || echo ca-certificates  # git needs it for https
  command -v "$python" >/dev/null || echo python3
  if [ "$1" = yes ] && ! python_has pip; then echo python3-pip; fi
  if [ "$2" = yes ] && ! python_has venv ensurepip; then echo python3-venv; fi
  # Tests open Net Runner's page in a browser. On Ubuntu, Chromium is a snap with other names.
  if [ "$3" = yes ] && grep -qx 'ID=debian' /etc/os-release 2>/dev/null; then
    command -v chromium >/dev/null || echo chromium
    command -v chromedriver >/dev/null || echo chromium-driver
  fi
  if [ "$4" = yes ]; then
    for command in valgrind time; do
      type -P "$command" >/dev/null || echo "$command"  # bash has a keyword "time"
    done
  fi
}

apt() {
  # Standard output is reserved for --peers. The timeout waits for another apt instead of failing.
  "$@" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 update >&2 ||
    say "warning: apt-get update failed; trying with the lists that are there"
  # shellcheck disable=SC2086
  "$@" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 \
    install --yes --no-install-recommends $packages </dev/null >&2
}

install_packages() {
  local by_hand="apt-get update && apt-get install --yes $packages"
  if ! command -v apt-get >/dev/null; then
    fail 69 "these Debian packages, or what your system calls them, are missing: $packages"
  fi
  say "Missing packages: $packages"
  if [ "$(id -u)" = 0 ]; then
    apt || fail 69 "apt-get could not install them. Run by hand: $by_hand"
  elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    apt sudo || fail 69 "apt-get could not install them. Run by hand: sudo sh -c '$by_hand'"
  else
    fail 69 "that takes root, and sudo is not to be had. Let an administrator run:
  sudo sh -c '$by_hand'"
  fi
}

check_swift() {
  local said version how="see https://swift.org/install"
  command -v swift >/dev/null || fail 69 "swift is not on the PATH; $how"
  said="$(swift --version 2>&1)" || fail 69 "swift does not run: $said
Its own requirements may be missing; $how"
  version="$(sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' <<<"$said" | head -n 1)"
  case "$version" in
    [0-5].* | 6.0 | 6.1) fail 69 "Swift 6.2 or later is needed, this is $version; $how" ;;
  esac
}

# Whether the user has set a library, which takes precedence. The loader reads the same variable.
is_given() {
  local variable="$1" path="${!1:-}"
  if [ -z "$path" ]; then return 1; fi
  [ -e "$path" ] || fail 66 "$variable is '$path', and that file does not exist"
}

fetch_library() { "$python" "$root/Scripts/fetch_library.py" "$@"; }

# Prints the interpreter's version and a hash of the requirements. If either changes, a new environment
# is made.
peers_stamp() { "$python" -c 'import hashlib, sys
print(sys.version.split()[0], hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest())' \
  "$requirements"; }

peers_are_there() {
  [ -x "$peers/bin/python" ] && [ -e "$peers/stamp" ] && [ "$(peers_stamp)" = "$(cat "$peers/stamp")" ]
}

make_peers() {
  say "Making the Python environment $peers"
  rm -rf "$peers"
  "$python" -m venv "$peers" >&2 || fail 69 "$python -m venv failed"
  # Python compiles the modules that it imports, a small part of them.
  "$peers/bin/python" -m pip install --quiet --no-input --disable-pip-version-check --no-compile \
    --requirement "$requirements" </dev/null >&2 ||
    fail 69 "pip could not install $requirements; to use a Python of your own, set TENSORIO_PYTHON"
  peers_stamp >"$peers/stamp"  # written last, so that an interrupted run is repeated
}

main() {
  local want_peers=no want_tensorflow=no want_measuring=no need_litert=no need_tensorflow=no need_pip=no need_venv=no
  local option packages=""
  for option in "$@"; do
    case "$option" in
      --peers) want_peers=yes ;;
      --tensorflow) want_tensorflow=yes ;;
      --measuring) want_measuring=yes ;;
      *)
        say "usage: Scripts/setup.sh [--tensorflow] [--peers] [--measuring]"
        exit 64
        ;;
    esac
  done

  check_swift
  if ! is_given TENSORIO_LITERT_LIBRARY && ! fetch_library --check litert 2>/dev/null; then
    need_litert=yes need_pip=yes
  fi
  if [ "$want_tensorflow" = yes ] && ! is_given TENSORIO_TENSORFLOW_LIBRARY &&
    ! fetch_library --check tensorflow 2>/dev/null
  then need_tensorflow=yes need_pip=yes; fi
  if [ "$want_peers" = yes ] && [ -z "${TENSORIO_PYTHON:-}" ]; then
    [ -e "$requirements" ] || fail 66 "$requirements is missing"
    if ! peers_are_there 2>/dev/null; then need_venv=yes; fi
  fi

  # Nothing is installed on macOS, where ImageIO reads images and SQLite is a part of the system.
  if [ "$(uname -s)" = Linux ]; then
    packages="$(missing_packages "$need_pip" "$need_venv" "$want_peers" "$want_measuring" | tr '\n' ' ' | sed 's/ $//')"
    if [ -n "$packages" ]; then install_packages; fi
  fi
  if [ "$need_pip" = yes ]; then
    python_has pip || fail 69 "$(command -v "$python" || echo "$python") has no pip"
  fi
  if [ "$need_litert" = yes ]; then fetch_library litert; fi
  if [ "$need_tensorflow" = yes ]; then
    say "Fetching TensorFlow's library: 270 MB to download, 850 MB installed"
    fetch_library tensorflow
  fi
  if [ "$need_venv" = yes ]; then make_peers; fi
  if [ "$want_peers" = yes ]; then echo "${TENSORIO_PYTHON:-$peers/bin/python}"; fi
}

main "$@"
