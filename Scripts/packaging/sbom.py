#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Writes a software bill of materials of the programs as SPDX 2.3 JSON.

    sbom.py --programs .build/release --output tensorio.spdx.json
    sbom.py --programs .build/wheel-build/release --static .build/static-libraries --output ...

It lists what the programs contain and what they open at run time: the packages of Package.resolved, which
a build creates; Swift, whose libraries are in the programs; the wheels that fetch_library.py pins; and the
Debian packages of the libraries that the programs are linked with. --static names the folder of
static_libraries.sh. SOURCE_DATE_EPOCH is the time of the document (default: the time of the last commit).

This needs only the standard library of Python 3.9 or later, and dpkg-query for Debian packages.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))

import copyright as copyrights  # noqa: E402
import wheel  # noqa: E402

ROOT = wheel.ROOT
MIT = {"grdb.swift"}
"""The packages under the MIT license. All others are under the Apache License."""


def identifier(name: str) -> str:
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def package(
    name: str, version: str, license_name: str, purl: str = "", location: str = "NOASSERTION",
    prefix: str = "", sha256: str = "",
) -> dict:
    """Returns the SPDX description of a package."""
    entry = {
        "SPDXID": identifier(f"{prefix}{name}-{version}"),
        "name": name,
        "versionInfo": version,
        "downloadLocation": location,
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": license_name,
        "copyrightText": "NOASSERTION",
    }
    if purl:
        entry["externalRefs"] = [{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
            "referenceLocator": purl,
        }]
    if sha256:
        entry["checksums"] = [{"algorithm": "SHA256", "checksumValue": sha256}]
    return entry


def swift_packages(resolved: Path) -> list[dict]:
    """Returns the packages that SwiftPM resolved."""
    found = []
    for pin in json.loads(resolved.read_text())["pins"]:
        location, state = pin["location"], pin["state"]
        version = state.get("version") or state["revision"]
        path = re.sub(r"^https://|\.git$", "", location)
        found.append(package(
            pin["identity"], version, "MIT" if pin["identity"] in MIT else "Apache-2.0",
            f"pkg:swift/{path}@{version}", f"git+{location}@{state['revision']}", "Swift-"))
    return found


def swift_itself() -> dict:
    said = subprocess.run(["swift", "--version"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout
    version = re.search(r"Swift version (\S+)", said)
    return package("swift", version[1] if version else "unknown",
                   "Apache-2.0 WITH Swift-exception", prefix="Toolchain-",
                   location="https://www.swift.org/install")


def pinned_wheels() -> dict[str, list[dict]]:
    """Returns the wheels for Linux, by the name of the library."""
    wheels: dict[str, list[dict]] = {}
    for name, library in wheel.fetch_library.LIBRARIES.items():
        for platform, pin in library.wheels.items():
            if platform.startswith("Linux-"):
                project = library.project_of(pin)
                wheels.setdefault(name, []).append(package(
                    project, library.version, "Apache-2.0",
                    f"pkg:pypi/{project}@{library.version}",
                    prefix=f"Wheel-{platform}-", sha256=pin.sha256))
    return wheels


def debian_package(name: str) -> dict:
    """Returns the description of an installed Debian package."""
    distribution = "debian"
    for line in Path("/etc/os-release").read_text().splitlines():
        if line.startswith("ID="):
            distribution = line[3:].strip('"')
    version, architecture = subprocess.run(
        ["dpkg-query", "--show", "--showformat=${Version}\t${Architecture}\n", name],
        stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[0].split("\t")
    return package(name, version, "NOASSERTION",
                   f"pkg:deb/{distribution}/{name}@{version}?arch={architecture}", prefix="Debian-")


def linked_packages(programs: Path) -> set[str]:
    """Returns the Debian packages of the shared libraries that the programs are linked with."""
    names = set()
    for program in wheel.PROGRAMS:
        result = subprocess.run(["ldd", str(programs / program)], stdout=subprocess.PIPE, text=True,
                                check=True)
        for path in re.findall(r"(?:=> )?(/\S+) \(0x", result.stdout):
            # dpkg may know a library by its path from before /usr was merged.
            real = Path(path).resolve()
            for candidate in (str(real), path, str(real).removeprefix("/usr")):
                owner = subprocess.run(["dpkg-query", "--search", candidate], text=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                if owner.returncode == 0:
                    names.add(owner.stdout.split(":")[0])
                    break
            else:
                raise SystemExit(f"error: no package of Debian has {path}.")
    return names


def document(resolved: Path, programs: Path, static: Path | None) -> dict:
    version = subprocess.run([str(ROOT / "Scripts/packaging/version.sh")], stdout=subprocess.PIPE,
                             text=True, check=True).stdout.strip()
    tensorio = package("tensorio", version, "Apache-2.0")
    packages, relationships = [tensorio], []

    def relate(entry: dict, kind: str, backwards: bool = False) -> None:
        packages.append(entry)
        ends = [tensorio["SPDXID"], entry["SPDXID"]]
        first, second = reversed(ends) if backwards else ends
        relationships.append(
            {"spdxElementId": first, "relationshipType": kind, "relatedSpdxElement": second})

    for entry in [*swift_packages(resolved), swift_itself()]:
        relate(entry, "STATIC_LINK")
    libraries = linked_packages(programs)
    if static:
        for name in sorted(set().union(*map(copyrights.owners, sorted(static.glob("*.a"))))):
            relate(debian_package(name), "STATIC_LINK")
    for name in sorted(libraries):
        relate(debian_package(name), "DYNAMIC_LINK")
    for name, wheels in pinned_wheels().items():
        for entry in wheels:
            kind = "RUNTIME_DEPENDENCY_OF" if name == "litert" else "OPTIONAL_DEPENDENCY_OF"
            relate(entry, kind, backwards=True)
    relationships.insert(0, {
        "spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
        "relatedSpdxElement": tensorio["SPDXID"]})
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or wheel.last_commit())
    digest = hashlib.sha256(json.dumps([packages, relationships], sort_keys=True).encode())
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"tensorio-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/tensorio-{version}-{digest.hexdigest()}",
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)),
            "creators": ["Tool: tensorio-sbom.py", "Organization: the TensorIO for Swift authors"],
        },
        "packages": packages,
        "relationships": relationships,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes a software bill of materials.")
    parser.add_argument("--resolved", type=Path, default=ROOT / "Package.resolved")
    parser.add_argument("--programs", type=Path, default=ROOT / ".build/release")
    parser.add_argument("--static", type=Path, metavar="FOLDER",
                        help="the folder of static_libraries.sh")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    try:
        bill = document(arguments.resolved, arguments.programs, arguments.static)
        arguments.output.write_text(json.dumps(bill, indent=2) + "\n")
    except (OSError, ValueError, KeyError, subprocess.CalledProcessError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 70
    return 0


if __name__ == "__main__":
    sys.exit(main())
