# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Bundles in ZIP files on web servers."""

from __future__ import annotations

import dataclasses
import http.client
import lzma
import shutil
import urllib.request
import zipfile
import zlib
from pathlib import Path

from ._errors import Error
from ._remote import RemoteModel

_SILENT_SECONDS = 60

_LARGEST = 1 << 34
"""The most bytes of a bundle, so that a small file can't fill the disk."""


@dataclasses.dataclass(frozen=True)
class ZippedModel(RemoteModel):
    """A bundle in a ZIP file, which ``Model`` takes in place of a bundle's path.

    It is downloaded into the user's cache. With ``digest``, a machine that has the model needs no server, and
    no other model is used. Without it, the model is what the server sends when the worker starts.

    Attributes:
        address: The address of a ZIP file with one folder ``NAME.tiobundle``, from ``http://`` or ``https://``.
        digest: The only version to use, as ``Model.digest`` returns it.
    """

    address: str
    digest: str | None = None

    def _identity(self) -> str:
        return self.address

    def _title(self) -> str:
        return f"The model at {self.address}"

    def _download(self, program: str, folder: Path) -> Path:
        if not self.address.startswith(("http://", "https://")):
            raise Error(f"The address of a model must start with http:// or https://, but is '{self.address}'.")
        archive = folder / "model.zip"
        try:
            with urllib.request.urlopen(self.address, timeout=_SILENT_SECONDS) as answer, archive.open("wb") as file:
                shutil.copyfileobj(answer, file)
            with zipfile.ZipFile(archive) as files:
                size = sum(member.file_size for member in files.infolist())
                if size > _LARGEST:
                    raise Error(f"{self._title()} has {size} bytes, but at most {_LARGEST} are unpacked.")
                files.extractall(folder)
        except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError) as error:
            raise Error(f"{self._title()} isn't a whole ZIP file: {error}.") from error
        except (OSError, http.client.HTTPException, NotImplementedError, RuntimeError, ValueError) as error:
            raise Error(f"{self._title()} can't be downloaded: {error}.") from error
        bundles = [path for path in folder.rglob("*.tiobundle") if path.is_dir()]
        if len(bundles) != 1:
            raise Error(f"{self._title()} has {len(bundles)} folders NAME.tiobundle, but must have one. Zip the "
                        "folder of the bundle, not only its files.")
        return bundles[0]
