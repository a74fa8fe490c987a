# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Models of a model repository, with a server that hosts the bundles in Demo."""

from __future__ import annotations

import dataclasses
import json
import os
import pickle
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import tensorio
from conftest import DIGITS, SEVEN
from processes import eventually

Push = Callable[[Path, str], None]


@pytest.fixture
def server(program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[bytes]]:
    """A server, to which the variables of the repository's commands point."""
    if not Path(program).with_name("tensorio-repository").exists():
        pytest.skip("tensorio-repository isn't beside the program")
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    command = [program, "repository"]
    secret = json.loads(subprocess.check_output(
        [*command, "token", "create", "me", "--scope", "admin", "--data", tmp_path / "data", "--json"]))["secret"]
    monkeypatch.setenv("TENSORIO_REPOSITORY_TOKEN", secret)
    log = tmp_path / "log"
    with log.open("wb") as file:
        process = subprocess.Popen([*command, "serve", "--data", tmp_path / "data", "--port", "0"], stdout=file,
                                   stderr=file)
    try:
        eventually(lambda: b"http://" in log.read_bytes() or process.poll() is not None)
        address = next(word for word in log.read_text().split() if word.startswith("http://")).rstrip("/.,")
        monkeypatch.setenv("TENSORIO_REPOSITORY", address)
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def push(program: str) -> Push:
    def push(bundle: Path, version: str) -> None:
        subprocess.run([program, "repository", "push", bundle, "--model", "digits", "--as", version, "--channel",
                        "stable"], check=True, capture_output=True)

    return push


@pytest.fixture
def hosted(server: object, program: str, push: Push, tmp_path: Path) -> tensorio.HostedModel:
    push(DIGITS, "1.0")
    keys = json.loads(subprocess.check_output(
        [program, "repository", "keys", "--data", tmp_path / "data", "--json"]))
    return tensorio.HostedModel("digits", os.environ["TENSORIO_REPOSITORY"], keys["keys"][0]["key"])


def test_a_hosted_model_runs(
    hosted: tensorio.HostedModel, digits: tensorio.Model, server: subprocess.Popen[bytes], program: str, push: Push,
    tmp_path: Path,
) -> None:
    with tensorio.Model(hosted, program=program) as model:
        assert model.run(SEVEN) == digits.run(SEVEN)
        assert model.digest == digits.digest
    pinned = hosted.pinned(program)
    assert pinned.digest == digits.digest and pinned.pinned(program) is pinned
    push(DIGITS.with_name("digits-int8.tiobundle"), "2.0")
    assert hosted.pinned(program).digest != pinned.digest
    server.kill()
    server.wait()
    with ThreadPoolExecutor(4) as pool:
        paths = set(pool.map(lambda _: pinned.fetch(program), range(8)))
    assert len(paths) == 1
    with tensorio.Model(pickle.loads(pickle.dumps(pinned)), program=program) as model:
        assert model.run(SEVEN) == digits.run(SEVEN)
    with pytest.raises(tensorio.Error, match="can't be downloaded"):
        hosted.fetch(program)


def test_another_version_or_key_is_an_error(hosted: tensorio.HostedModel, program: str) -> None:
    other = dataclasses.replace(hosted, digest="0" * 64)
    with pytest.raises(tensorio.Error, match="has the digest [0-9a-f]{64} now.*is needed"):
        other.fetch(program)
    with pytest.raises(tensorio.Error, match="'digits' can't be downloaded"):
        dataclasses.replace(hosted, key="A" * 43 + "=").fetch(program)
    with pytest.raises(tensorio.Error, match="'cats' can't be downloaded"):
        dataclasses.replace(hosted, name="cats").fetch(program)
