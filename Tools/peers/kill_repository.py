# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Kills a repository's server, its publishers and its clients at random moments, and checks the result.

    kill_repository.py TENSORIO [--count 300] [--seed 1]

After each kill, the server is started again. Every version whose publication was acknowledged must exist. Every
listed version must download whole, byte for byte. Every channel's document must be signed and name an
existing version. A killed client that had a model must still have one that runs, and only whole ones. The
script prints the number of kills of each kind as JSON.
"""

import argparse
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path


class Repository:
    """A server that is killed and restarted, and the versions that it acknowledged."""

    def __init__(self, binary: str, folder: Path, dice: random.Random):
        self.binary, self.folder, self.dice = binary, folder, dice
        self.data = folder / "data"
        self.environment = {
            **os.environ, "XDG_STATE_HOME": str(folder / "state"),
            "XDG_CACHE_HOME": str(folder / "cache")}
        token = self.run("token", "create", "all", "--scope", "admin", "--data", self.data, "--json")
        self.environment["TENSORIO_REPOSITORY_TOKEN"] = json.loads(token)["secret"]
        self.start()
        self.key = json.loads(self.run("keys", "--json"))["keys"][0]["key"]
        self.promised: dict[str, str] = {}
        self.counts: dict[str, int] = {}

    def command(self, *arguments) -> list[str]:
        return [self.binary, "repository", *map(str, arguments)]

    def run(self, *arguments) -> str:
        process = subprocess.run(
            self.command(*arguments), env=self.environment, capture_output=True, text=True, timeout=120)
        if process.returncode != 0:
            sys.exit(f"error: {arguments} ended with {process.returncode}: {process.stderr}")
        return process.stdout

    def start(self) -> None:
        self.server = subprocess.Popen(
            self.command("serve", "--data", self.data, "--port", 0), env=self.environment,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self.server.stdout.readline()
        self.address = re.search(r"http://\S+?(?=/?\s)", line)[0]
        self.environment["TENSORIO_REPOSITORY"] = self.address

    def kill(self, process: subprocess.Popen) -> None:
        process.send_signal(signal.SIGKILL)
        process.wait()

    def get(self, path: str) -> bytes:
        with urllib.request.urlopen(self.address + path, timeout=60) as response:
            return response.read()

    def check(self) -> None:
        """Requests everything that the server has."""
        versions = json.loads(self.get("/v1/models/model/versions"))["versions"] if self.promised else []
        found = {}
        for version in versions:
            manifest = self.blob(version["manifest"])
            for file in json.loads(manifest)["files"]:
                found[version["version"]] = hashlib.sha256(self.blob(file)).hexdigest()
        for version, digest in self.promised.items():
            if found.get(version) != digest:
                sys.exit(f"error: {version} was acknowledged as {digest}, but is {found.get(version)}")
        if self.promised:
            self.run("verify", "model", "--key", self.key)

    def blob(self, reference: dict) -> bytes:
        content = self.get(f"/v1/blobs/{reference['digest']}")
        digest = "sha256:" + hashlib.sha256(content).hexdigest()
        if len(content) != reference["size"] or digest != reference["digest"]:
            sys.exit(f"error: {reference} came as {len(content)} bytes with {digest}")
        return content

    def interrupted(self, name: str, arguments: tuple, victim: str, longest: float) -> bool:
        """Returns whether a command finished before it, or the server, was killed."""
        process = subprocess.Popen(
            self.command(*arguments), env=self.environment, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        time.sleep(self.dice.uniform(0, longest))
        self.counts[f"{name}, {victim}"] = self.counts.get(f"{name}, {victim}", 0) + 1
        if victim == "server":
            self.kill(self.server)
            try:
                process.wait(timeout=0.3)
            except subprocess.TimeoutExpired:
                self.kill(process)
            self.start()
        else:
            self.kill(process)
        return process.returncode == 0

    def push(self, number: int, victim: str) -> None:
        path = self.folder / "model.tflite"
        path.write_bytes(self.dice.randbytes(self.dice.randrange(1, 12_000_000)))
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        arguments = ("push", path, "--model", "model", "--as", f"v{number}", "--no-check")
        if self.interrupted("push", arguments, victim, 0.4):
            self.promised[f"v{number}"] = digest

    def set_channel(self, victim: str) -> None:
        version = self.dice.choice(sorted(self.promised))
        self.interrupted("channel", ("channel", "model", "--set", version), victim, 0.15)

    def pull(self, victim: str) -> None:
        target = self.folder / "models/model.tflite"
        had_one = target.exists()
        self.interrupted(
            "pull", ("pull", "model", "--key", self.key, "-o", target.parent, "--force",
             "--no-check"), victim, 0.4)
        if had_one and not target.exists():
            sys.exit("error: the existing model is gone")
        if target.exists():
            digest = hashlib.sha256(target.read_bytes()).hexdigest()
            if digest not in self.promised.values():
                sys.exit(f"error: the client has {digest}, which nobody published")
        # The download is whole, or a new one resumes it.
        self.run("pull", "model", "--key", self.key, "-o", target.parent, "--force",
             "--no-check")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    dice = random.Random(arguments.seed)
    folder = Path(tempfile.mkdtemp())
    repository = Repository(arguments.binary, folder, dice)
    try:
        first = folder / "first.tflite"
        first.write_bytes(dice.randbytes(1000))
        repository.run("push", first, "--model", "model", "--as", "v0", "--channel", "stable",
                       "--no-check")
        repository.promised["v0"] = hashlib.sha256(first.read_bytes()).hexdigest()
        for number in range(1, arguments.count + 1):
            victim = dice.choice(["server", "command"])
            kind = dice.choice(["push", "push", "channel", "pull"])
            if kind == "push":
                repository.push(number, victim)
            elif kind == "channel":
                repository.set_channel(victim)
            else:
                repository.pull(victim)
            repository.check()
        repository.kill(repository.server)
        repository.run("fsck", "--data", repository.data, "--rehash")
        json.dump({"kills": repository.counts, "versions": len(repository.promised)}, sys.stdout)
    finally:
        repository.server.kill()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
