# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Models of a model repository, which the program downloads once for each machine."""

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

from ._errors import Error
from ._program import find_program


@dataclasses.dataclass(frozen=True)
class HostedModel:
    """A model in a model repository, which ``Model`` takes in place of a bundle's path.

    `tensorio repository pull` downloads it into the user's cache, and checks the signature and every byte. A
    token is read from the variable TENSORIO_REPOSITORY_TOKEN. With ``digest``, a machine that has the model
    needs no server.

    Attributes:
        name: The model's name in the repository.
        server: The address, such as ``https://models.example.com``.
        key: A trusted key, as `tensorio repository keys` prints it.
        channel: The channel.
        digest: The only version to use: the SHA-256 of the model's files, as ``Model.digest`` returns it. None
            is the version that the channel serves when the worker starts.
        installation_id: The installation for rollouts. Machines with the same one get the same version.
    """

    name: str
    server: str
    key: str
    channel: str = "stable"
    digest: str | None = None
    installation_id: str = "python"

    def fetch(self, program: str | os.PathLike[str] | None = None) -> str:
        """Returns the path of the bundle on this machine, after it was downloaded if it is missing.

        Args:
            program: As in ``Model``.

        Raises:
            Error: The model can't be downloaded, isn't a bundle, or has another digest.
        """
        return self._fetched(find_program(program))[0]

    def pinned(self, program: str | os.PathLike[str] | None = None) -> HostedModel:
        """Returns the model with the digest of the version that the channel serves now.

        The errors are those of ``fetch``.
        """
        return self if self.digest else dataclasses.replace(self, digest=self._fetched(find_program(program))[1])

    def _fetched(self, program: str) -> tuple[str, str]:
        identity = "\n".join((self.server, self.name, self.channel))
        folder = _cache() / hashlib.sha256(identity.encode()).hexdigest()[:16]
        bundle = f"{self.name}.tiobundle"
        with _locked(folder):
            if self.digest and (folder / self.digest / bundle).is_dir():
                return str(folder / self.digest / bundle), self.digest
            with tempfile.TemporaryDirectory(dir=folder) as temporary:
                self._pull(program, temporary)
                pulled = Path(temporary) / bundle
                if not pulled.is_dir():
                    raise Error(f"'{self.name}' in {self.server} isn't a bundle. Publish a folder NAME.tiobundle with "
                                "'tensorio repository push'.")
                digest = _digest(program, pulled)
                if self.digest not in (None, digest):
                    raise Error(f"The channel '{self.channel}' of {self.server} serves the version {digest} of "
                                f"'{self.name}', but {self.digest} is needed. Choose a channel that serves it, or "
                                "leave out the digest.")
                target = folder / digest / bundle
                if not target.exists():
                    target.parent.mkdir(exist_ok=True)
                    pulled.rename(target)
        return str(target), digest

    def _pull(self, program: str, folder: str) -> None:
        command = [program, "repository", "pull", self.name, "--server", self.server, "--key", self.key,
                   "--channel", self.channel, "--installation-id", self.installation_id, "--output", folder]
        result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if result.returncode != 0:
            raise Error(f"'{self.name}' can't be downloaded from {self.server}: "
                        f"{result.stderr.strip().removeprefix('error: ')}")


def _digest(program: str, bundle: Path) -> str:
    """Asks a worker for the SHA-256 of a model's files."""
    result = subprocess.run([program, "worker", bundle, "--json-lines"], stdin=subprocess.DEVNULL,
                            capture_output=True, text=True)
    if result.returncode != 0:
        raise Error(f"The model '{bundle.stem}' can't be loaded: {result.stderr.strip().removeprefix('error: ')}")
    return str(json.loads(result.stdout.splitlines()[0])["model"]["sha256"])


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tensorio-python/models"


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lets one process of this machine at a time change a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
