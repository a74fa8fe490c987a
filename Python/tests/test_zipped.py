# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Bundles in ZIP files on a web server."""

from __future__ import annotations

import functools
import http.server
import shutil
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import tensorio
from conftest import DIGITS, SEVEN


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder without printing requests."""

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[http.server.ThreadingHTTPServer]:
    """A server of the folder `files`."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "files").mkdir()
    handler = functools.partial(Handler, directory=str(tmp_path / "files"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def model(server: http.server.ThreadingHTTPServer, name: str) -> tensorio.ZippedModel:
    return tensorio.ZippedModel(f"http://127.0.0.1:{server.server_port}/{name}")


def test_a_zipped_model_runs(
    server: http.server.ThreadingHTTPServer, digits: tensorio.Model, program: str, tmp_path: Path,
) -> None:
    archive = tmp_path / "files/digits.zip"
    shutil.make_archive(str(archive.with_suffix("")), "zip", DIGITS.parent, DIGITS.name)
    zipped = model(server, "digits.zip")
    with tensorio.Model(zipped, program=program) as running:
        assert running.run(SEVEN) == digits.run(SEVEN)
    pinned = zipped.pinned(program)
    assert pinned.digest == digits.digest
    shutil.make_archive(str(archive.with_suffix("")), "zip", DIGITS.parent, "digits-int8.tiobundle")
    assert zipped.pinned(program).digest != digits.digest
    other = tensorio.ZippedModel(zipped.address, "0" * 64)
    with pytest.raises(tensorio.Error, match="has the digest [0-9a-f]{64} now, but 0{64} is needed"):
        other.fetch(program)
    archive.unlink()
    assert pinned.fetch(program).endswith(f"{digits.digest}/digits.tiobundle")
    with pytest.raises(tensorio.Error, match="digits.zip can't be downloaded: HTTP Error 404"):
        zipped.fetch(program)


def test_what_is_no_zipped_bundle_is_an_error(
    server: http.server.ThreadingHTTPServer, program: str, tmp_path: Path,
) -> None:
    files = tmp_path / "files"
    shutil.make_archive(str(files / "flat"), "zip", DIGITS)
    (files / "text.zip").write_text("no archive")
    (files / "half.zip").write_bytes((files / "flat.zip").read_bytes()[:5000])
    with zipfile.ZipFile(files / "empty.zip", "w") as archive:
        archive.writestr("x.tiobundle/", "")
    for name, message in [
        ("flat.zip", "has 0 folders NAME.tiobundle, but must have one"),
        ("text.zip", "isn't a whole ZIP file"),
        ("half.zip", "isn't a whole ZIP file"),
        ("empty.zip", "can't be loaded"),
    ]:
        with pytest.raises(tensorio.Error, match=message):
            model(server, name).fetch(program)
    with pytest.raises(tensorio.Error, match="must start with http"):
        tensorio.ZippedModel("digits.zip").fetch(program)
    assert not list((tmp_path / "cache").rglob("*.zip")) and not list((tmp_path / "cache").rglob("*.tiobundle"))
