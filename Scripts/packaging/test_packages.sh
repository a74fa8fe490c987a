#!/usr/bin/env bash
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
#
# Tests the packages on bare Debian systems without compilers. The script installs, uses, upgrades and
# removes them.
#
#   sudo Scripts/packaging/test_packages.sh PACKAGE.deb PACKAGE.whl
#   sudo Scripts/packaging/test_packages.sh PACKAGE.deb PACKAGE.whl OLDER.deb OLDER.whl
#
# Without older packages, the upgrade starts from copies with a lower version and a file that no longer
# exists. Either package may be left out. SUITE is the release of Debian (default: this machine's). The
# bare system is kept in .build/chroot, and every test works on a copy. apt and pip use this machine's
# configuration.
#
# The script prints a line for each check. Exit codes: 0 all passed, 1 a check failed, 64 wrong usage,
# 66 a file is missing, 69 a tool is missing, 77 not root.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

fail() {
  local code="$1"
  shift
  printf 'error: %s\n' "$*" >&2
  exit "$code"
}

deb="" wheel="" older_deb="" older_wheel=""
for file in "$@"; do
  [ -f "$file" ] || fail 66 "$file is missing"
  case "$file" in
    *.deb) if [ -z "$deb" ]; then deb="$file"; else older_deb="$file"; fi ;;
    *.whl) if [ -z "$wheel" ]; then wheel="$file"; else older_wheel="$file"; fi ;;
    *) fail 64 "usage: Scripts/packaging/test_packages.sh PACKAGE.deb PACKAGE.whl [OLDER.deb OLDER.whl]" ;;
  esac
done
[ -n "$deb$wheel" ] || fail 64 "name a .deb or a .whl"
[ "$(id -u)" = 0 ] || fail 77 "this takes root, to make bare systems; run it with sudo"
for tool in debootstrap unshare; do
  command -v "$tool" >/dev/null || fail 69 "$tool is missing; apt-get install debootstrap util-linux"
done

# Run in separate namespaces, so that mounts and processes end with the script.
if [ -z "${TENSORIO_IN_NAMESPACE:-}" ]; then
  TENSORIO_IN_NAMESPACE=1 exec unshare --mount --pid --fork --kill-child "$0" "$@"
fi

suite="${SUITE:-$(. /etc/os-release && echo "$VERSION_CODENAME")}"
base=".build/chroot/base-$suite"
temporary="$(mktemp -d)"
root="$temporary/root"
failed=0

unmount() {
  local mount
  for mount in dev/shm dev proc; do
    if mountpoint --quiet "$root/$mount"; then umount --lazy "$root/$mount"; fi
  done
}

finish() {
  unmount
  rm -rf --one-file-system "$temporary"
}
trap finish EXIT

# Runs a command on the bare system, with this machine's variables for pip and proxies.
in_root() {
  local variables
  variables="$(env | grep -E '^(PIP_[A-Z_]+|[a-zA-Z]+_proxy|SSL_CERT_FILE)=' || true)"
  # shellcheck disable=SC2046
  (IFS=$'\n' && exec chroot "$root" env -i LANG=C.UTF-8 HOME=/root DEBIAN_FRONTEND=noninteractive \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin $variables "$@") </dev/null
}

# Runs a command as a user who isn't root, in the user's home folder.
as_person() {
  in_root setpriv --reuid=person --regid=person --clear-groups \
    env HOME=/home/person PATH="${person_path:-/usr/bin:/bin}" bash -c "cd && $1"
}

# check NAME COMMAND: prints whether a command succeeds, and its output if it doesn't.
check() {
  local name="$1" code=0
  shift
  "$@" >"$temporary/said" 2>&1 || code=$?
  if [ "$code" = 0 ]; then
    printf 'ok    %s\n' "$name"
  else
    printf 'FAIL  %s (exit code %s)\n' "$name" "$code"
    sed 's/^/        /' "$temporary/said" | tail -n 25
    failed=1
  fi
}

# says WORDS COMMAND: runs a command as the user, and looks for the words in its output.
says() { as_person "$2" 2>&1 | tee "$temporary/words" | grep -e "$1" || { cat "$temporary/words"; return 1; }; }

# Makes the bare system with debootstrap, only once.
make_base() {
  local mirror
  if [ -e "$base.done" ]; then return 0; fi
  mirror="$(apt-get indextargets --format '$(REPO_URI)' "Created-By: Packages" "Codename: $suite" |
    head -n 1)"
  rm -rf --one-file-system "$base"
  mkdir -p "$base"
  echo "Making a bare system of Debian $suite" >&2
  debootstrap --variant=minbase --include=ca-certificates,systemd-standalone-sysusers \
    "$suite" "$base" ${mirror:+"$mirror"} >"$base.log" 2>&1 ||
    fail 69 "debootstrap failed, see $base.log"
  touch "$base.done"
}

# Makes a copy of the bare system, with this machine's network configuration and a user.
make_root() {
  unmount
  rm -rf --one-file-system "$root"
  cp -a "$base" "$root"
  cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
  if [ -f /etc/pip.conf ]; then cp -L /etc/pip.conf "$root/etc/"; fi
  if [ -f /etc/ssl/certs/ca-certificates.crt ]; then
    cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
  fi
  apt-config dump | grep -E '^Acquire::(http|https)::' >"$root/etc/apt/apt.conf.d/99host" || true
  mount -t proc proc "$root/proc"
  mount --bind /dev "$root/dev"
  mount -t tmpfs shm "$root/dev/shm"
  in_root useradd --create-home --shell /bin/bash person
  mkdir "$root/home/person/demo"
  cp -R Demo/digits.tiobundle Demo/digits.testbundle Demo/images "$root/home/person/demo/"
  in_root chown -R person:person /home/person
  in_root apt-get -qq update
}

# Lists every file and folder, except package data, logs, caches and the user's home folder.
list_files() {
  (cd "$root" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./sys -o -path ./run \
    -o -path ./tmp -o -path ./home/person -o -path ./var/log -o -path ./var/cache \
    -o -path ./var/lib/apt -o -path ./var/lib/dpkg \
    -o -name __pycache__ \) -prune -o -print | sort)
}

has_no_compiler() { in_root sh -c 'for name in cc gcc g++ clang swift ld; do ! command -v $name || exit 1; done'; }

same_files() { diff "$temporary/before" "$temporary/after"; }

# Checks that every command has a man page. $1: the folder of the pages, $2: their file extension.
has_man_pages() {
  local command
  for command in "" $(as_person "tensorio --help" | sed -n '/^SUBCOMMANDS/,$s/^  \([a-z][a-z]*\)  .*/-\1/p'); do
    test -s "$root/$1/tensorio$command.$2" || { echo "tensorio$command.$2 is missing"; return 1; }
  done
}

# Starts a server as the user, sends it requests, and ends it. $1: the server's command, $2: the words
# that it prints when it is ready, $3: a command that sends requests.
with_server() {
  local process code=0 count=0 out="$temporary/server"
  # Job control gives the server and the shells before it a process group, which ends as one.
  set -m
  as_person "exec $1" >"$out" 2>&1 &
  process=$!
  set +m
  until grep -q -e "$2" "$out"; do
    count=$((count + 1))
    if [ "$count" = 300 ] || ! kill -0 "$process" 2>/dev/null; then
      cat "$out"
      code=1
      break
    fi
    sleep 0.2
  done
  if [ "$code" = 0 ]; then as_person "$3" || { code=$?; cat "$out"; }; fi
  kill -TERM -- "-$process" 2>/dev/null || true
  # The next server takes the same port.
  while kill -0 -- "-$process" 2>/dev/null; do sleep 0.1; done
  wait "$process" 2>/dev/null || true
  return "$code"
}

# Writes a script into the user's folder that sends requests, because curl may be missing.
write_questions() {
  cat >"$root/home/person/ask.py" <<'PYTHON'
import sys
import urllib.request
address, words = sys.argv[1:]
with urllib.request.urlopen(address, timeout=20) as answer:
    text = answer.read().decode()
if words not in text:
    sys.exit(f"{address} does not say {words!r}: {text[:500]}")
PYTHON
}

# Checks what both packages must do after they are installed. $1: a prefix for the name of every check.
check_use() {
  check "$1: --version" says "^$2" "tensorio --version"
  check "$1: --help" says "SUBCOMMANDS" "tensorio --help"
  check "$1: the servers' help" as_person \
    "tensorio netrunner --help && tensorio repository --help && tensorio-netrunner --version && tensorio-repository --version"
  check "$1: no compiler" has_no_compiler
  check "$1: doctor finds LiteRT" as_person "tensorio doctor"
  check "$1: run" says "seven" \
    "tensorio run demo/digits.tiobundle demo/images/digit-7-01.png --top 3"
  check "$1: evaluate" as_person \
    "tensorio evaluate demo/digits.testbundle --models demo --report report.json --report report.html && test -s report.html"
  check "$1: netrunner" with_server "tensorio netrunner --no-browser --port 18080" "http" \
    "python3 ask.py http://127.0.0.1:18080/ '<title' &&
     python3 ask.py http://127.0.0.1:18080/js/main.js import &&
     python3 ask.py http://127.0.0.1:18080/api/v1/models digits &&
     python3 ask.py http://127.0.0.1:18080/v2 version"
  as_person "rm -rf models-data pulled"
  check "$1: repository token" as_person \
    "tensorio repository token create me --scope admin --data models-data >token 2>/dev/null"
  check "$1: repository serve, push, pull" with_server \
    "tensorio repository serve --data models-data --port 18090" "Repository: http" \
    "export TENSORIO_REPOSITORY=http://127.0.0.1:18090 TENSORIO_REPOSITORY_TOKEN=\$(cat token) &&
     tensorio repository push demo/digits.tiobundle --model digits --as 1.0 --channel stable &&
     tensorio repository pull digits --key \$(tensorio repository keys --data models-data | head -n 1) -o pulled &&
     tensorio run pulled/* demo/images/digit-7-01.png"
}

# Makes an older package from a new one, with a lower version and a file that no longer exists.
older_deb_of() {
  local folder="$temporary/older"
  dpkg-deb --raw-extract "$1" "$folder"
  sed -i 's/^Version: .*/Version: 0.0.1/' "$folder/DEBIAN/control"
  echo gone >"$folder/usr/share/tensorio/netrunner/gone.js"
  (cd "$folder" && md5sum usr/share/tensorio/netrunner/gone.js >>DEBIAN/md5sums)
  dpkg-deb --root-owner-group -Zgzip -z1 --build "$folder" "$temporary/older.deb" >/dev/null
  rm -rf "$folder"
}

older_wheel_of() {
  python3 - "$1" "$temporary" <<'PYTHON'
import sys, zipfile
from pathlib import Path
source = Path(sys.argv[1])
parts = source.name.split("-")
old = "-".join(parts[:2])
new = f"{parts[0]}-0.0.1"
gone = f"{new}.data/data/share/tensorio/netrunner/gone.js"
target = Path(sys.argv[2]) / "-".join([new, *parts[2:]])
with zipfile.ZipFile(source) as archive, zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as older:
    for entry in archive.infolist():
        data = archive.read(entry)
        name = entry.filename.replace(old, new)
        if name.endswith("METADATA"):
            data = data.replace(f"\nVersion: {parts[1]}\n".encode(), b"\nVersion: 0.0.1\n", 1)
        if name.endswith("RECORD"):
            # Without sums, because METADATA is another one.
            lines = data.decode().replace(old, new).splitlines()
            lines = [line.split(",")[0] + ",," for line in lines] + [f"{gone},,"]
            data = ("\n".join(lines) + "\n").encode()
        entry.filename = name
        entry.compress_type = zipfile.ZIP_STORED
        older.writestr(entry, data)
    older.writestr(gone, "gone\n")
print(target)
PYTHON
}

installs_litert() {
  local command
  as_person "tensorio doctor" >"$temporary/doctor" 2>&1 && return 1  # LiteRT isn't installed yet
  command="$(sed -n 's/.*\(python3 .*fetch_library.py litert\).*/\1/p' "$temporary/doctor")"
  cat "$temporary/doctor"
  [ -n "$command" ] && as_person "$command"
}

is_gone() { ! test -e "$root/$1"; }

is_version() { [ "$(in_root dpkg-query --show --showformat='${Version}' tensorio)" = "$1" ]; }

test_deb() {
  local version state=/var/lib/tensorio-repository
  version="$(dpkg-deb --field "$deb" Version)"
  make_root
  write_questions
  if [ -z "$older_deb" ]; then older_deb_of "$deb" && older_deb="$temporary/older.deb"; fi
  cp "$deb" "$root/tmp/new.deb"
  cp "$older_deb" "$root/tmp/old.deb"
  list_files >"$temporary/before"
  check "deb: apt installs it" in_root apt-get -qq install --yes /tmp/new.deb
  check "deb: apt finds nothing wrong" in_root apt-get -qq check
  check "deb: man pages" has_man_pages usr/share/man/man1 1.gz
  check "deb: the services' user" in_root getent passwd tensorio
  check "deb: the services are not enabled" \
    in_root sh -c '! ls /etc/systemd/system/*/tensorio-*.service 2>/dev/null'
  check "deb: fetch_library.py installs LiteRT as doctor says" installs_litert
  check_use deb "$version"
  check "deb: files are as they were packed" in_root dpkg --verify tensorio
  check "deb: remove" in_root apt-get -qq remove --yes tensorio
  check "deb: the settings stay" test -f "$root/etc/default/tensorio-netrunner"
  check "deb: an older version" in_root apt-get -qq install --yes --allow-downgrades /tmp/old.deb
  in_root sh -c "echo '# mine' >>/etc/default/tensorio-repository; mkdir -p $state; echo key >$state/key"
  check "deb: upgrade" in_root apt-get -qq install --yes /tmp/new.deb
  check "deb: the upgrade's version" is_version "$version"
  check "deb: changed settings stay" grep -q '# mine' "$root/etc/default/tensorio-repository"
  check "deb: the older version's files are gone" is_gone usr/share/tensorio/netrunner/gone.js
  check "deb: run after the upgrade" says "seven" \
    "tensorio run demo/digits.tiobundle demo/images/digit-7-01.png --top 3"
  check "deb: purge" in_root apt-get -qq purge --yes tensorio
  check "deb: purge leaves a repository" grep -q key "$root$state/key"
  check "deb: purge leaves what the person made" test -f "$root/home/person/report.html"
  rm -r "${root:?}$state"
  in_root apt-get -qq autoremove --purge --yes >/dev/null 2>&1
  list_files >"$temporary/after"
  check "deb: nothing else is left" same_files
  check "deb: dpkg knows nothing of it" in_root sh -c '! ls /var/lib/dpkg/info/tensorio* 2>/dev/null'
}

# Runs the tests of the Python package on the installed one. pip uninstall later removes what they need.
tests_python() {
  mkdir -p "$root/home/person/checkout/"{Documentation,Tests/Fixtures}
  cp -R Demo Python README.md "$root/home/person/checkout/"
  cp Documentation/Python.md "$root/home/person/checkout/Documentation/"
  cp -R Tests/Fixtures/Models "$root/home/person/checkout/Tests/Fixtures/"
  rm -r "$root/home/person/checkout/Python/tensorio"
  in_root chown -R person:person /home/person/checkout
  as_person "pip install --quiet pytest pillow && cd checkout && python -m pytest -q -p no:cacheprovider Python/tests"
}

# Lists the files of the environment without folders, because pip leaves empty ones behind.
list_environment() {
  (cd "$root/home/person/env" && find . -name __pycache__ -prune -o -not -type d -print | sort)
}

test_wheel() {
  local name version
  name="$(basename "$wheel")"
  version="$(cut -d - -f 2 <<<"$name")"
  make_root
  write_questions
  if [ -z "$older_wheel" ]; then older_wheel="$(older_wheel_of "$wheel")"; fi
  cp "$wheel" "$older_wheel" "$root/tmp/"
  in_root apt-get -qq install --yes --no-install-recommends python3 python3-venv >/dev/null 2>&1
  list_files >"$temporary/system-before"
  person_path=/home/person/env/bin:/usr/bin:/bin
  as_person "python3 -m venv env"
  list_environment >"$temporary/environment"
  check "wheel: pip installs it" as_person "pip install --quiet /tmp/$name"
  check "wheel: pip finds nothing wrong" as_person "pip check"
  check "wheel: man pages" has_man_pages home/person/env/share/man/man1 1
  check_use wheel "$version"
  check "wheel: the tests of the Python package" tests_python
  check "wheel: an older version" as_person \
    "pip install --quiet --force-reinstall --no-deps /tmp/$(basename "$older_wheel")"
  check "wheel: upgrade" as_person "pip install --quiet --upgrade /tmp/$name"
  check "wheel: the older version's files are gone" \
    is_gone home/person/env/share/tensorio/netrunner/gone.js
  check "wheel: run after the upgrade" says "seven" \
    "tensorio run demo/digits.tiobundle demo/images/digit-7-01.png --top 3"
  check "wheel: pip uninstall" as_person "pip uninstall --quiet --yes tensorio-swift"
  check "wheel: its dependencies go, too" as_person \
    "pip freeze | xargs --no-run-if-empty pip uninstall --quiet --yes"
  mv "$temporary/environment" "$temporary/before"
  list_environment >"$temporary/after"
  check "wheel: nothing is left" same_files
  mv "$temporary/system-before" "$temporary/before"
  list_files >"$temporary/after"
  check "wheel: nothing outside of the environment" same_files
}

make_base
if [ -n "$deb" ]; then test_deb; fi
if [ -n "$wheel" ]; then test_wheel; fi
if [ "$failed" = 0 ]; then echo "All checks passed."; else echo "Some checks failed."; fi
exit "$failed"
