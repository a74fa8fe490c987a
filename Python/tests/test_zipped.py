# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Bundles in ZIP files on a web server."""

from __future__ import annotations

import functools
import http.server
import shutil
import socket
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
    assert Path(pinned.fetch(program)).match(f"{digits.digest}/*/digits.tiobundle")
    with pytest.raises(tensorio.Error, match="digits.zip can't be downloaded: HTTP Error 404"):
        zipped.fetch(program)


def test_a_bundle_of_which_any_file_has_changed_is_another_one(
    server: http.server.ThreadingHTTPServer, program: str, tmp_path: Path,
) -> None:
    bundle = tmp_path / "digits.tiobundle"
    shutil.copytree(DIGITS, bundle)
    zipped = model(server, "digits.zip")

    def fetch(remote: tensorio.ZippedModel) -> tuple[str, str]:
        folder = Path(remote.fetch(program))
        return (folder / "assets/labels.txt").read_text().split()[0], (folder / "model.json").read_text()

    def publish() -> None:
        shutil.make_archive(str(tmp_path / "files/digits"), "zip", tmp_path, bundle.name)

    publish()
    first = zipped.pinned(program)
    labels = (bundle / "assets/labels.txt").read_text()
    (bundle / "assets/labels.txt").write_text(labels.replace("zero", "null"))
    publish()
    assert fetch(zipped)[0] == "null" and fetch(first)[0] == "zero"
    second = zipped.pinned(program)
    assert second.digest != first.digest
    # What decides no result doesn't change the digest, but the server's version is used.
    text = (bundle / "model.json").read_text().replace('"Digits"', '"Numbers"')
    (bundle / "model.json").write_text(text)
    publish()
    assert zipped.pinned(program).digest == second.digest
    assert fetch(zipped) == ("null", text)


def test_damage_within_an_archive_is_an_error(
    server: http.server.ThreadingHTTPServer, program: str, tmp_path: Path,
) -> None:
    archive = tmp_path / "files/digits.zip"
    shutil.make_archive(str(archive.with_suffix("")), "zip", DIGITS.parent, DIGITS.name)
    with zipfile.ZipFile(archive) as files:
        largest = max(files.infolist(), key=lambda member: member.compress_size)
    data = bytearray(archive.read_bytes())
    start = largest.header_offset + 30 + len(largest.filename)
    for position in range(start + 10, start + 200):
        data[position] ^= 0xFF
    archive.write_bytes(data)
    with pytest.raises(tensorio.Error, match="isn't a whole ZIP file"):
        model(server, "digits.zip").fetch(program)


def test_an_answer_that_is_cut_off_is_an_error(program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\nPK")

        thread = threading.Thread(target=answer)
        thread.start()
        zipped = tensorio.ZippedModel(f"http://127.0.0.1:{listener.getsockname()[1]}/x.zip")
        with pytest.raises(tensorio.Error, match="can't be downloaded"):
            zipped.fetch(program)
        thread.join()


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
