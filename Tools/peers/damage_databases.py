# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Damages a repository's database in many ways, and checks how the server and `fsck` react.

    damage_databases.py TENSORIO [--count 500] [--seed 1] [--only KIND] [--keep FOLDER]

Each damage is made in a fresh copy of one repository: in rows by type and by value, whole tables, bytes and
pages of the file, its length, its write-ahead log, its schema, or the file as a whole. Then:

- `tensorio repository fsck` must end with 65 and name the damage in sentences. It may end with 0 only if
  the database has the same content as before.
- `tensorio repository serve` must refuse to start with a sentence, or respond to every request. Failed requests name
  an id of the log, and `/healthz` is fine.
- No process may end by a signal or print a raw error.

The script prints the number of each outcome as JSON. The exit code is 1 if a check failed.
"""

import argparse
import collections
import hashlib
import http.client
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path

RAW = re.compile(r"Fatal error|SQLite error|DatabaseError|RowDecodingError|while executing|DamagedRow\(")
TABLES = [
    "blobs", "uploads", "models", "versions", "version_blobs", "channel_documents", "tokens", "audit"]


class Server:
    """A running `tensorio repository serve` on a folder."""

    def __init__(self, binary: str, data: Path):
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [binary, "repository", "serve", "--data", str(data), "--port", "0"],
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"http://([^:]+):(\d+)", line)
        self.address = (found[1], int(found[2])) if found else None

    def ask(self, method: str, path: str, token: str | None = None, body=None, **fields):
        connection = http.client.HTTPConnection(*self.address, timeout=20)
        headers = {key.replace("_", "-"): value for key, value in fields.items()}
        if token:
            headers["Authorization"] = "Bearer " + token
        if isinstance(body, dict):
            headers["Content-Type"], body = "application/json", json.dumps(body)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read(), dict(answer.getheaders())
        finally:
            connection.close()

    def end(self, how=signal.SIGTERM) -> int:
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            return self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def text(self) -> str:
        self.log.seek(0)
        return self.log.read()


def upload(server: Server, token: str, content: bytes) -> dict:
    status, answer, _ = server.ask("POST", "/v1/uploads", token)
    name = json.loads(answer)["id"]
    server.ask("PATCH", f"/v1/uploads/{name}", token, content,
               Content_Range=f"bytes 0-{len(content) - 1}/*")
    digest = "sha256:" + hashlib.sha256(content).hexdigest()
    status, answer, _ = server.ask("PUT", f"/v1/uploads/{name}?digest={digest}", token)
    assert status == 201, answer
    return {"digest": digest, "size": len(content)}


def make(binary: str, folder: Path) -> str:
    """Makes a repository with two models, several versions, channels, a rollout, tokens and an upload.

    The server is killed, so that the last commits are in the write-ahead log.
    """
    data = folder / "data"
    made = subprocess.run(
        [binary, "repository", "token", "create", "all", "--scope", "admin", "--data", str(data), "--json"],
        capture_output=True, text=True, check=True)
    token = json.loads(made.stdout)["secret"]
    server = Server(binary, data)
    for model in ["cats", "dogs"]:
        tag = None
        for version in ["1.0", "2.0", "3.0"]:
            files = []
            for name in ["model.tflite", "labels.txt"]:
                content = f"{model} {version} {name} ".encode() * 9000
                files.append({"path": name, **upload(server, token, content)})
            manifest = upload(server, token, json.dumps(
                {"model": model, "version": version, "format": "tiobundle", "files": files}).encode())
            status, answer, _ = server.ask(
                "POST", f"/v1/models/{model}/versions", token, {"manifest": manifest["digest"]})
            assert status in (200, 201), answer
            content = {"version": version, "parameters": {"threshold": "0.5"}}
            fields = {"If_Match": tag} if tag else {"If_None_Match": "*"}
            status, answer, fields = server.ask(
                "PUT", f"/v1/models/{model}/channels/stable", token, content, **fields)
            assert status in (200, 201), answer
            tag = {key.lower(): value for key, value in fields.items()}["etag"]
    server.ask("POST", "/v1/tokens", token, {"name": "reader", "scopes": ["read"]})
    status, answer, _ = server.ask("POST", "/v1/uploads", token)
    server.ask("PATCH", f"/v1/uploads/{json.loads(answer)['id']}", token, b"0123456789",
               Content_Range="bytes 0-9/*")
    server.end(signal.SIGKILL)
    return token


def dump(data: Path) -> list[str] | None:
    """Returns the content of a copy of a database, or None if SQLite cannot read it."""
    with tempfile.TemporaryDirectory() as folder:
        for path in data.glob("meta.sqlite*"):
            if path.is_file():
                shutil.copy(path, folder)
        try:
            with sqlite3.connect(f"file:{folder}/meta.sqlite?mode=rw", uri=True) as database:
                lines = list(database.iterdump())
                header = [database.execute(f"PRAGMA {name}").fetchone() for name in ["application_id"]]
                return lines + [str(header)]
        except (sqlite3.Error, UnicodeDecodeError, OverflowError, TypeError):
            return None


def checkpoint(data: Path) -> None:
    with sqlite3.connect(data / "meta.sqlite") as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


class Damage:
    """The ways to damage a database. Each returns a description, or None if it isn't possible."""

    def __init__(self, dice: random.Random):
        self.dice = dice

    def value(self, before):
        dice = self.dice
        values = [
            None, "x", "", b"\x00\xff", 1.5, -1, 0, 2**63 - 1, -(2**63), float("inf"), "9" * 30, "a" * 70000,
            "2026-11-23 0?:00:00.000", "2026-02-31 00:00:00.000", "99999-01-01 00:00:00.000", "../../meta.sqlite",
            "\x1b[31m", b"", "{}", "[]", "null", "00000000-0000-0000-0000-000000000000", "A" * 64, "0" * 64]
        if isinstance(before, str) and before:
            place = dice.randrange(len(before))
            values += [
                before[:place] + dice.choice("?x \x00\u00e9~") + before[place + 1:], before[:place], before + "0",
                before.upper(), before.encode()] * 3
        if isinstance(before, int):
            values += [before + 1, before - 1, -before - 1, before * 1000 + 7, str(before) + "x", float(before) + 0.5] * 3
        if isinstance(before, bytes) and before:
            place = dice.randrange(len(before))
            values += [before[:place] + bytes([before[place] ^ 1 << dice.randrange(8)]) + before[place + 1:],
                       before[:place], before.decode("latin1")] * 4
        return dice.choice([value for value in values if value != before or type(value) is not type(before)])

    def row(self, data: Path):
        checkpoint(data)
        database = sqlite3.connect(data / "meta.sqlite")
        try:
            table = self.dice.choice(TABLES)
            columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            rows = database.execute(f"SELECT * FROM {table}").fetchall()
            if not rows:
                return None
            column = self.dice.choice(columns)
            row = self.dice.choice(rows)
            value = self.value(row[columns.index(column)])
            condition = " AND ".join(f"{name} IS ?" for name in columns)
            everything = self.dice.random() < 0.15
            sql = f"UPDATE {table} SET {column} = ?" + ("" if everything else f" WHERE {condition}")
            database.execute(sql, [value] + ([] if everything else list(row)))
            database.commit()
            return f"{table}.{column} = {value!r:.60}{' in all rows' if everything else ''}"
        except (sqlite3.IntegrityError, OverflowError):
            return None
        finally:
            database.close()

    def rows(self, data: Path):
        checkpoint(data)
        database = sqlite3.connect(data / "meta.sqlite")
        table = self.dice.choice(TABLES)
        key = {"blobs": "digest", "models": "name", "versions": "sequence", "version_blobs": "digest",
               "channel_documents": "document_version"}.get(table, "id")
        value = self.dice.choice(database.execute(f"SELECT {key} FROM {table}").fetchall())[0]
        database.execute(f"DELETE FROM {table} WHERE {key} = ?", [value])
        database.commit()
        database.close()
        return f"DELETE FROM {table} WHERE {key} = {value!r}"

    def bytes(self, data: Path):
        checkpoint(data)
        path = data / "meta.sqlite"
        content = bytearray(path.read_bytes())
        count = self.dice.choice([1, 1, 2, 8, 64])
        for _ in range(count):
            place = self.dice.randrange(len(content)) if self.dice.random() < 0.9 else self.dice.randrange(100)
            content[place] ^= 1 << self.dice.randrange(8)
        path.write_bytes(content)
        return f"{count} bits flipped"

    def page(self, data: Path):
        checkpoint(data)
        path = data / "meta.sqlite"
        content = path.read_bytes()
        size = struct.unpack(">H", content[16:18])[0]
        pages = [content[place:place + size] for place in range(0, len(content), size)]
        number = self.dice.randrange(len(pages))
        how = self.dice.choice(["zeros", "noise", "another", "header"])
        if how == "zeros":
            pages[number] = bytes(size)
        elif how == "noise":
            pages[number] = self.dice.randbytes(size)
        elif how == "another":
            pages[number] = self.dice.choice(pages)
        else:
            start = 100 if number == 0 else 0
            page = bytearray(pages[number])
            page[start:start + 12] = self.dice.randbytes(12)
            pages[number] = bytes(page)
        path.write_bytes(b"".join(pages))
        return f"page {number + 1} of {len(pages)}: {how}"

    def length(self, data: Path):
        checkpoint(data)
        path = data / "meta.sqlite"
        size = path.stat().st_size
        new = self.dice.choice([
            self.dice.randrange(size), self.dice.randrange(size // 4096) * 4096, 0, 1, 99, 100, 512])
        with open(path, "r+b") as file:
            file.truncate(new)
        return f"{new} of {size} bytes"

    def log(self, data: Path):
        path = data / "meta.sqlite-wal"
        content = bytearray(path.read_bytes())
        if not content:
            return None
        how = self.dice.choice(["flip", "flip", "truncate", "header", "noise", "delete", "index"])
        if how == "flip":
            for _ in range(self.dice.choice([1, 4, 32])):
                content[self.dice.randrange(len(content))] ^= 1 << self.dice.randrange(8)
        elif how == "truncate":
            content = content[:self.dice.randrange(len(content))]
        elif how == "header":
            content[:32] = self.dice.randbytes(32)
        elif how == "noise":
            start = self.dice.randrange(len(content))
            content[start:] = self.dice.randbytes(len(content) - start)
        path.write_bytes(content)
        if how == "delete":
            path.unlink()
        if how == "index":
            (data / "meta.sqlite-shm").write_bytes(self.dice.randbytes(32768))
        return f"write-ahead log: {how}"

    def schema(self, data: Path):
        checkpoint(data)
        database = sqlite3.connect(data / "meta.sqlite")
        table = self.dice.choice(TABLES)
        columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
        column = self.dice.choice(columns)
        sql = self.dice.choice([
            f"DROP TABLE {table}", "DROP INDEX version_blobs_digest", "DELETE FROM grdb_migrations",
            "UPDATE grdb_migrations SET identifier = 'x'", "DROP TABLE grdb_migrations",
            f"ALTER TABLE {table} RENAME TO other", f"ALTER TABLE {table} RENAME COLUMN {column} TO other",
            f"ALTER TABLE {table} ADD COLUMN other TEXT", "CREATE TABLE other (x)",
            f"CREATE TRIGGER t AFTER INSERT ON {table} BEGIN DELETE FROM versions; END",
            f"CREATE VIEW v AS SELECT * FROM {table}",
            "PRAGMA application_id = 7", "PRAGMA application_id = 0",
            "UPDATE sqlite_master SET sql = 'CREATE TABLE x' WHERE name = 'versions'",
            "UPDATE sqlite_master SET sql = replace(sql, 'INTEGER NOT NULL', 'TEXT') WHERE name = 'versions'",
            "UPDATE sqlite_master SET rootpage = rootpage + 1 WHERE name = 'tokens'",
            "UPDATE sqlite_master SET rootpage = 99999 WHERE name = 'blobs'",
            "UPDATE sqlite_master SET sql = NULL WHERE name = 'audit'",
            "DELETE FROM sqlite_master WHERE name = 'channel_documents'",
            "UPDATE sqlite_master SET type = 'view' WHERE name = 'models'"])
        try:
            database.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, False) if hasattr(database, "setconfig") else None
            database.execute("PRAGMA writable_schema = ON")
            database.execute(sql)
            database.commit()
        except sqlite3.Error:
            return None
        finally:
            database.close()
        return sql

    def file(self, data: Path):
        checkpoint(data)
        path = data / "meta.sqlite"
        how = self.dice.choice(["empty", "text", "folder", "noise", "other"])
        path.unlink()
        for rest in data.glob("meta.sqlite-*"):
            rest.unlink()
        if how == "empty":
            path.write_bytes(b"")
        elif how == "text":
            path.write_text("This is not a database.\n" * 400)
        elif how == "folder":
            path.mkdir()
        elif how == "noise":
            path.write_bytes(self.dice.randbytes(40000))
        elif how == "other":
            database = sqlite3.connect(path)
            database.execute("CREATE TABLE notes (text)")
            database.commit()
            database.close()
        return f"the file: {how}"


KINDS = ["row", "row", "row", "row", "row", "rows", "bytes", "bytes", "page", "length", "log", "schema", "file"]


class Trial:
    """One damaged repository."""

    def __init__(self, binary: str, token: str, data: Path):
        self.binary, self.token, self.data = binary, token, data
        self.faults: list[str] = []

    def fsck(self) -> int:
        try:
            process = subprocess.run(
                [self.binary, "repository", "fsck", "--rehash", "--data", str(self.data)],
                capture_output=True, text=True, timeout=120, errors="replace")
        except subprocess.TimeoutExpired:
            self.faults.append("fsck hangs")
            return -99
        text = process.stdout + process.stderr
        self.report = text
        if process.returncode not in (0, 65):
            self.faults.append(f"fsck ends with {process.returncode}: {text[-300:]}")
        if found := RAW.search(text):
            self.faults.append(f"fsck says '{found[0]}': {text[:300]}")
        if "\x1b" in text:
            self.faults.append("fsck prints control characters")
        if process.returncode == 65 and not re.search(r"[a-z]{3,}.*", text):
            self.faults.append("fsck says nothing")
        return process.returncode

    def serve(self) -> str:
        server = Server(self.binary, self.data)
        if server.address is None:
            status = server.end()
            text = server.text()
            if status not in (65, 66):
                self.faults.append(f"serve ends with {status}: {text[-300:]}")
            if RAW.search(text) or "error:" not in text.lower():
                self.faults.append(f"serve says: {text[:300]}")
            return "refused to start"
        failed = 0
        try:
            for method, path, body in self.requests(server):
                is_secret = path.startswith(("/v1/tokens", "/v1/audit")) or method != "GET"
                token = self.token if is_secret else None
                status, answer, fields = server.ask(method, path, token, body)
                if path == "/healthz" and status != 200:
                    self.faults.append(f"/healthz is {status}")
                if status >= 500:
                    failed += 1
                    title = json.loads(answer).get("title", "")
                    if status == 500 and b"blob_damaged" not in answer and not re.search(r"ID [0-9a-f]{8,}", title):
                        self.faults.append(f"{path} is {status} without an id: {title}")
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.faults.append(f"{path}: {error!r}; {server.text()[-300:]}")
        status = server.end()
        if status != 0:
            self.faults.append(f"serve ends with {status}: {server.text()[-300:]}")
        return "served, some requests answered 500" if failed else "served all"

    def requests(self, server: Server):
        yield "GET", "/healthz", None
        for path in ["/v1/models", "/v1/keys", "/metrics", "/readyz"]:
            yield "GET", path, None
        for model in ["cats", "dogs"]:
            yield "GET", f"/v1/models/{model}/versions", None
            for version in ["1.0", "3.0"]:
                yield "GET", f"/v1/models/{model}/versions/{version}", None
            yield "GET", f"/v1/models/{model}/channels", None
            yield "GET", f"/v1/models/{model}/channels/stable", None
            yield "GET", f"/v1/models/{model}/channels/stable/history", None
            content = f"{model} 3.0 labels.txt ".encode() * 9000
            yield "GET", "/v1/blobs/sha256:" + hashlib.sha256(content).hexdigest(), None
        yield "GET", "/v1/tokens", None
        yield "GET", "/v1/audit", None
        yield "POST", "/v1/uploads", None
        yield "POST", "/v1/uploads?digest=sha256:" + "0" * 64, None
        yield "POST", "/v1/models/cats/channels/stable/rollback", None
        yield "PUT", "/v1/models/cats/channels/beta", {"version": "1.0"}
        yield "POST", "/v1/tokens", {"name": "another", "scopes": ["read"]}
        yield "POST", "/v1/gc", None
        yield "GET", "/healthz", None


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only")
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    dice = random.Random(arguments.seed)
    damage = Damage(dice)
    outcomes: collections.Counter = collections.Counter()
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        token = make(arguments.binary, folder)
        before = dump(folder / "data")
        number = 0
        while number < arguments.count:
            copy = folder / "copy"
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(folder / "data", copy)
            kind = arguments.only or dice.choice(KINDS)
            what = getattr(damage, kind)(copy)
            if what is None:
                continue
            number += 1
            after = dump(copy)
            second = folder / "second"
            shutil.rmtree(second, ignore_errors=True)
            shutil.copytree(copy, second)
            trial = Trial(arguments.binary, token, copy)
            status = trial.fsck()
            trial.data = second
            outcome = trial.serve()
            if status == 0 and after != before:
                changed = [line for line in after or [] if line not in before]
                trial.faults.append(f"fsck finds nothing: {str(changed[:1])[:200]}")
            outcomes[("fsck: harmless" if status == 0 else "fsck: named") + "; " + outcome] += 1
            if trial.faults:
                failures.append({"number": number, "damage": what, "faults": trial.faults})
                print(f"{number}: {what}: {trial.faults}", file=sys.stderr)
                if arguments.keep:
                    shutil.copytree(second, arguments.keep / str(number), dirs_exist_ok=True)
    json.dump({"outcomes": outcomes, "failures": len(failures)}, sys.stdout, indent=2)
    print()
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
