#!/usr/bin/env bash
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
#
# Makes a Debian package of the built programs, and prints its path.
#
#   Scripts/packaging/deb.sh                       from .build/release into .build/packages
#   Scripts/packaging/deb.sh PROGRAMS [FOLDER]     from another folder of programs, into another one
#
# TENSORIO_VERSION   a version other than the programs', to test upgrades
# SOURCE_DATE_EPOCH  the time of every file; default: the time of the last commit. The same programs
#                    always make the same package, byte for byte.
#
# Exit codes: 64 wrong usage, 66 a program is missing, 69 a Debian tool is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if [ $# -gt 2 ]; then
  echo "usage: Scripts/packaging/deb.sh [PROGRAMS [FOLDER]]" >&2
  exit 64
fi
for tool in dpkg-deb dpkg-shlibdeps; do
  command -v "$tool" >/dev/null || { echo "error: $tool is missing; install dpkg-dev" >&2; exit 69; }
done
programs="${1:-.build/release}"
packages="${2:-.build/packages}"
version="${TENSORIO_VERSION:-$(Scripts/packaging/version.sh)}"
architecture="$(dpkg --print-architecture)"
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
temporary="$(mktemp -d)"
trap 'rm -rf "$temporary"' EXIT
umask 022
root="$temporary/root"
document="$root/usr/share/doc/tensorio"

fill_root() {
  PROGRAMS="$programs" PREFIX=/usr DESTDIR="$root" SYSTEMD=yes \
    ZSH_COMPLETIONS=share/zsh/vendor-completions Scripts/packaging/install.sh install
  rm "$document/LICENSE"  # Debian has it once for all packages
  gzip -9n "$root"/usr/share/man/man1/*.1
  # README.md stays as it is, although its links lead to the sources, which the package doesn't have.
  mv "$document/CHANGELOG.md" "$document/NEWS.md"
  gzip -9n "$document/NEWS.md"
  gzip -9n >"$document/changelog.gz" <<CHANGELOG
tensorio ($version) unstable; urgency=medium

  * Release $version. NEWS.md.gz lists the changes.

 -- $maintainer  $(date --utc --date="@$SOURCE_DATE_EPOCH" -R)
CHANGELOG
  mkdir -p "$root/usr/share/lintian/overrides"
  cp Scripts/packaging/debian/lintian-overrides "$root/usr/share/lintian/overrides/tensorio"
}

# Prints the packages with the libraries that the programs are linked with, which include SQLite for the
# servers. libcrypto is opened at run time, but evaluations and labels don't work without it.
dependencies() {
  mkdir -p "$temporary/source/debian"
  printf 'Source: tensorio\n\nPackage: tensorio\nArchitecture: any\n' \
    >"$temporary/source/debian/control"
  (cd "$temporary/source" && dpkg-shlibdeps -O "$root"/usr/bin/*) |
    sed -n 's/^shlibs:Depends=//p'
}

write_control() {
  local size
  mkdir "$root/DEBIAN"
  install -m 755 Scripts/packaging/debian/{postinst,prerm,postrm} "$root/DEBIAN"
  (cd "$root" && find etc -type f | sort | sed 's|^|/|') >"$root/DEBIAN/conffiles"
  (cd "$root" && find . -path ./DEBIAN -prune -o -type f -printf '%P\n' | sort |
    tr '\n' '\0' | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
  size="$(du -k -s --apparent-size --exclude=DEBIAN "$root" | cut -f 1)"
  cat >"$root/DEBIAN/control" <<CONTROL
Package: tensorio
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $size
Depends: $(dependencies), libssl3 | libssl3t64
Recommends: ca-certificates, libcurl4 | libcurl4t64, libsndfile1, libzip4 | libzip4t64 | libzip5, python3, python3-venv
Suggests: python3-pip
Section: science
Priority: optional
Description: run, train, measure and host TensorFlow Lite and TensorFlow models
 TensorIO runs models that a JSON file describes. The file states the inputs
 and outputs of a model, so that images, numbers and text go in, and labelled
 scores, numbers and images come out.
 .
 tensorio runs, inspects, trains and measures models, and compares its
 preprocessing of images with Python's. tensorio-netrunner shows models at work
 in a browser and serves them over HTTP. tensorio-repository hosts versions of
 models, with signed channels and rollouts.
 .
 Google's runtime LiteRT is not in this package. "tensorio doctor" says how to
 install LiteRT and TensorFlow.
CONTROL
}

maintainer="TensorIO for Swift authors <tensorio-swift@users.noreply.github.com>"
fill_root
write_control
find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
mkdir -p "$packages"
package="$packages/tensorio_${version}_$architecture.deb"
dpkg-deb --root-owner-group -Zxz --build "$root" "$package" >&2
echo "$package"
