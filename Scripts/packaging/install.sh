#!/usr/bin/env bash
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
#
# Installs the built programs with their documentation and data, or removes them.
#
#   Scripts/packaging/install.sh install     copies everything into $DESTDIR$PREFIX
#   Scripts/packaging/install.sh uninstall   removes what the last install copied
#
# PREFIX     default: /usr/local
# DESTDIR    a folder in front of every path, for packages; default: none
# PROGRAMS   the folder of the three programs; default: .build/release
# CHECKOUTS  the folder of the packages' sources; default: .build/checkouts
# COPYRIGHT_OPTIONS, ZSH_COMPLETIONS  settings that differ in packages
# SYSTEMD    yes: also install the services, their settings and their user's entry
#
# PREFIX/share/tensorio/installed.txt lists the installed files. An install over an older one first
# removes the older files. With DESTDIR no list is written, because packages have their own.
#
# Exit codes: 64 wrong usage, 66 a program is missing, 69 the files could not be written.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

prefix="${PREFIX:-/usr/local}"
destination="${DESTDIR:-}$prefix"
programs="${PROGRAMS:-.build/release}"
checkouts="${CHECKOUTS:-.build/checkouts}"
systemd="${SYSTEMD:-no}"
names="tensorio tensorio-netrunner tensorio-repository"
list="share/tensorio/installed.txt"

fail() {
  local code="$1"
  shift
  printf 'error: %s\n' "$*" >&2
  exit "$code"
}

# Copies a file, or standard input ("-"), with the given permissions.
put() {
  local mode="$1" source="$2" target="$stage/$3"
  mkdir -p "$(dirname "$target")"
  if [ "$source" = - ]; then cat >"$target"; else cp "$source" "$target"; fi
  chmod "$mode" "$target"
}

# Writes the completion script for the commands of all three programs, which "tensorio" accepts.
put_completion() {
  local script
  script="$("$programs/tensorio-completions" --generate-completion-script "$1")" ||
    fail 70 "$programs/tensorio-completions makes no completions for $1"
  # The first line is removed, because shells read the file instead of running it.
  sed '1{/^#!/d;}' <<<"$script" | put 644 - "$2"
}

# Fills the staging folder with the content of PREFIX.
fill_stage() {
  local name file
  for name in $names tensorio-completions; do
    [ -x "$programs/$name" ] ||
      fail 66 "$programs/$name is missing; build it with 'make programs', or set PROGRAMS"
  done
  for name in $names; do
    put 755 "$programs/$name" "bin/$name"
    strip --remove-section=.comment --remove-section=.note "$stage/bin/$name"
  done
  put_completion bash share/bash-completion/completions/tensorio
  put_completion zsh "${ZSH_COMPLETIONS:-share/zsh/site-functions}/_tensorio"
  put_completion fish share/fish/vendor_completions.d/tensorio.fish
  mkdir -p "$stage/share/man/man1"
  Scripts/packaging/man_pages.py "$programs" "$stage/share/man/man1"
  (cd Sources/NetRunnerWeb/Assets && find . -type f -print) | sort | while IFS= read -r file; do
    put 644 "Sources/NetRunnerWeb/Assets/$file" "share/tensorio/netrunner/$file"
  done
  put 644 Sources/ModelRepositoryServer/Assets/openapi.json share/tensorio/repository/openapi.json
  put 755 Scripts/fetch_library.py share/tensorio/fetch_library.py
  for file in README.md CHANGELOG.md LICENSE NOTICE; do
    put 644 "$file" "share/doc/tensorio/$file"
  done
  # shellcheck disable=SC2086
  Scripts/packaging/copyright.py --checkouts "$checkouts" ${COPYRIGHT_OPTIONS:-} | put 644 - share/doc/tensorio/copyright
  if [ "$systemd" = yes ]; then
    for name in tensorio-netrunner tensorio-repository; do
      sed "s|@BIN@|$prefix/bin|" "Scripts/packaging/systemd/$name.service" |
        put 644 - "lib/systemd/system/$name.service"
    done
    put 644 Scripts/packaging/systemd/sysusers.conf lib/sysusers.d/tensorio.conf
  fi
}

# Installs the settings of the services. They are outside of PREFIX, and existing files are kept.
install_settings() {
  local name target
  for name in tensorio-netrunner tensorio-repository; do
    target="${DESTDIR:-}/etc/default/$name"
    if [ ! -e "$target" ]; then
      install -D -m 644 "Scripts/packaging/systemd/$name.default" "$target"
    fi
  done
}

# Removes the files in the list, and then the folders that are empty.
uninstall() {
  local path
  [ -f "$destination/$list" ] || return 0
  while IFS= read -r path; do
    case "$path" in
      /* | ../* | */../* | "") fail 69 "$destination/$list names '$path'" ;;
      */) ;;
      *) rm -f "${destination:?}/$path" ;;
    esac
  done <"$destination/$list"
  # Sort in reverse, because the list has outer folders first.
  grep '/$' "$destination/$list" | sort -r >"$temporary/folders"
  rm -f "$destination/$list"
  while IFS= read -r path; do
    rmdir "$destination/$path" 2>/dev/null || true  # the folder has other files
  done <"$temporary/folders"
}

install_all() {
  local folder
  fill_stage
  uninstall
  mkdir -p "$destination" || fail 69 "$destination cannot be made; run it with sudo, or set PREFIX"
  (cd "$stage" && find . -mindepth 1 -type d) | sed 's|^\./||; s|$|/|' | sort | while IFS= read -r folder; do
    if [ ! -d "$destination/$folder" ]; then
      mkdir "$destination/$folder"
      echo "$folder"
    fi
  done >"$temporary/list"
  (cd "$stage" && find . -type f) | sed 's|^\./||' | sort >>"$temporary/list"
  echo "$list" >>"$temporary/list"
  cp -R "$stage/." "$destination/" ||
    fail 69 "the files cannot be written to $destination; run it with sudo, or set PREFIX"
  if [ "$systemd" = yes ]; then install_settings; fi
  if [ -z "${DESTDIR:-}" ]; then cp "$temporary/list" "$destination/$list"; fi
}

temporary="$(mktemp -d)"
stage="$temporary/stage"
trap 'rm -rf "$temporary"' EXIT
umask 022
mkdir "$stage"
case "${1:-}" in
  install) install_all ;;
  uninstall)
    [ -f "$destination/$list" ] || fail 66 "$destination/$list is missing: nothing to remove"
    uninstall
    ;;
  *)
    echo "usage: Scripts/packaging/install.sh install|uninstall" >&2
    exit 64
    ;;
esac
