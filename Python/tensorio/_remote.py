# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Models that are downloaded once for each machine."""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import hashlib
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from ._errors import Error
from ._program import digest_of, find_program

Self = TypeVar("Self", bound="RemoteModel")


class RemoteModel:
    """A model on a server, which ``Model`` takes in place of a bundle's path.

    It is a frozen data class with an attribute ``digest``: the only version to use, as ``Model.digest`` returns it,
    or None.
    """

    digest: str | None

    def fetch(self, program: str | os.PathLike[str] | None = None) -> str:
        """Returns the path of the bundle on this machine, after it was downloaded if it is missing.

        Args:
            program: As in ``Model``.

        Raises:
            Error: The model can't be downloaded, isn't a bundle, or has another digest.
        """
        return self._fetched(find_program(program))[0]

    def pinned(self: Self, program: str | os.PathLike[str] | None = None) -> Self:
        """Returns the model with the digest of the version that the server has now.

        The errors are those of ``fetch``.
        """
        if self.digest:
            return self
        changes: dict[str, Any] = {"digest": self._fetched(find_program(program))[1]}
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]

    def _identity(self) -> str:
        """Returns what distinguishes the model from others in the cache."""
        raise NotImplementedError

    def _title(self) -> str:
        """Returns how messages name the model."""
        raise NotImplementedError

    def _download(self, program: str, folder: Path) -> Path:
        """Downloads the model into an empty folder, and returns the path of its bundle."""
        raise NotImplementedError

    def _fetched(self, program: str) -> tuple[str, str]:
        folder = _cache() / hashlib.sha256(self._identity().encode()).hexdigest()[:16]
        with _locked(folder):
            if self.digest:
                # Versions with this digest differ at most in what decides no result, such as a description.
                for bundle in sorted((folder / self.digest).glob("*/*.tiobundle")):
                    return str(bundle), self.digest
            with tempfile.TemporaryDirectory(dir=folder) as temporary:
                bundle = self._download(program, Path(temporary))
                digest = _digest(program, bundle)
                if self.digest not in (None, digest):
                    raise Error(f"{self._title()} has the digest {digest} now, but {self.digest} is needed. Name a "
                                "source of that version, or leave out the digest.")
                target = folder / digest / _files_digest(bundle) / bundle.name
                if not target.exists():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    bundle.rename(target)
        return str(target), digest


def _files_digest(bundle: Path) -> str:
    """Returns a SHA-256 of the names and bytes of all files of a bundle."""
    whole = hashlib.sha256()
    names = sorted(os.fsencode(path.relative_to(bundle)) for path in bundle.rglob("*") if path.is_file())
    for name in names:
        own = hashlib.sha256()
        with open(os.fsencode(bundle) + b"/" + name, "rb") as file:
            while piece := file.read(1 << 20):
                own.update(piece)
        whole.update(b"%d %s %s\n" % (len(name), name, own.hexdigest().encode()))
    return whole.hexdigest()


def _digest(program: str, bundle: Path) -> str:
    """Asks a worker for the digest of a model."""
    result = subprocess.run([program, "worker", bundle, "--json-lines"], stdin=subprocess.DEVNULL,
                            capture_output=True, text=True)
    if result.returncode != 0:
        raise Error(f"The model '{bundle.stem}' can't be loaded: {result.stderr.strip().removeprefix('error: ')}")
    return digest_of(json.loads(result.stdout.splitlines()[0]))


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tensorio-python/models"


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lets one process of this machine at a time change a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
