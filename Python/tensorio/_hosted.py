# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Models of a model repository."""

from __future__ import annotations

import dataclasses
import subprocess
from pathlib import Path

from ._errors import Error
from ._remote import RemoteModel


@dataclasses.dataclass(frozen=True)
class HostedModel(RemoteModel):
    """A model in a model repository, which ``Model`` takes in place of a bundle's path.

    `tensorio repository pull` downloads it into the user's cache, and checks the signature and every byte. A
    token is read from the variable TENSORIO_REPOSITORY_TOKEN. With ``digest``, a machine that has the model
    needs no server.

    Attributes:
        name: The model's name in the repository.
        server: The address, such as ``https://models.example.com``.
        key: A trusted key, as `tensorio repository keys` prints it.
        channel: The channel.
        digest: The only version to use, as ``Model.digest`` returns it. None
            is the version that the channel serves when the worker starts.
        installation_id: The installation for rollouts. Machines with the same one get the same version.
    """

    name: str
    server: str
    key: str
    channel: str = "stable"
    digest: str | None = None
    installation_id: str = "python"

    def _identity(self) -> str:
        return "\n".join((self.server, self.name, self.channel))

    def _title(self) -> str:
        return f"'{self.name}' in the channel '{self.channel}' of {self.server}"

    def _download(self, program: str, folder: Path) -> Path:
        command = [program, "repository", "pull", self.name, "--server", self.server, "--key", self.key,
                   "--channel", self.channel, "--installation-id", self.installation_id, "--output", str(folder)]
        result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if result.returncode != 0:
            raise Error(f"'{self.name}' can't be downloaded from {self.server}: "
                        f"{result.stderr.strip().removeprefix('error: ')}")
        bundle = folder / f"{self.name}.tiobundle"
        if not bundle.is_dir():
            raise Error(f"'{self.name}' in {self.server} isn't a bundle. Publish a folder NAME.tiobundle with "
                        "'tensorio repository push'.")
        return bundle
