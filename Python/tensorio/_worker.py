# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""A worker's process, and the items that it has under way."""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import select
import signal
import subprocess
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ._errors import Error, ItemError, WorkerEnded
from ._frames import FrameError, FrameReader, encode_header, write_frames
from ._items import ItemEncoder, Source

PROTOCOL = 1

_LOG = logging.getLogger("tensorio")

_SILENT_SECONDS = 60
"""A worker sends a heartbeat every 5 seconds. After this long without one, it is taken to hang."""

_STARTING_SECONDS = 600
_ENDING_SECONDS = 10
_KEPT_MESSAGE_BYTES = 4096
_FORKED = ("This process was forked while items were under way, and their answers go to the process that sent them. "
           "Begin another map in this process.")


class Answer(NamedTuple):
    """What the worker answered to an item: a frame, or an error."""

    key: int
    header: dict[str, Any]
    body: memoryview
    error: Error | None = None


class ItemFrame(NamedTuple):
    """An item as the worker reads it.

    Attributes:
        key: A number that names the item, which its answer has, too.
        item: The item.
        header: The bytes of the header, and of the lengths before it.
        body: The bytes that follow.
    """

    key: int
    item: object
    header: bytes
    body: Sequence[memoryview]

    @property
    def byte_count(self) -> int:
        return len(self.header) + sum(map(len, self.body))


Done = Callable[[list[Answer]], None]


class _UnderWay(NamedTuple):
    item: object
    done: Done


class Worker:
    """A running worker. Any thread may send it items.

    A thread of its own reads the answers, so that the worker never waits for this process while this
    process waits for the worker.
    """

    def __init__(self, command: Sequence[str]):
        """Starts a worker, and waits until it has loaded the model.

        Raises:
            Error: The worker can't be started, or can't load the model.
        """
        self._room = threading.Condition()
        self._writing = threading.Lock()
        self._under_way: dict[int, _UnderWay] = {}
        self._keys = itertools.count()
        self._arrived: list[Answer] = []
        self._end: WorkerEnded | None = None
        self._is_killed = False
        self._is_abandoned = False
        self._fault = ""
        self._messages = bytearray()
        self._is_ready = threading.Event()
        self.description: dict[str, Any] = {}
        try:
            # Ctrl-C in a terminal only reaches this process, which then ends the worker. The session of
            # its own also groups the worker with the processes of a supervisor.
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
                start_new_session=True)
        except OSError as error:
            raise Error(f"The worker can't be started: {error}.") from error
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._input = self._process.stdin.fileno()
        self._output = self._process.stdout.fileno()
        self._error = self._process.stderr.fileno()
        self._reader = threading.Thread(target=self._read, name="tensorio-worker", daemon=True)
        try:
            self._reader.start()
            self._is_ready.wait()
        except BaseException:
            self.kill()
            raise
        if self._end is not None:
            raise self._start_error()
        self.window = max(1, int(self.description["window"]))
        self.sessions = max(1, int(self.description["sessions"]))
        self.ahead = int(self.description.get("ahead", 0))
        self.encoder = ItemEncoder(self.description["inputs"], os.getcwd())

    @property
    def has_ended(self) -> bool:
        """Whether the worker takes no more items."""
        return self._end is not None or self._is_killed

    # Items

    def encode(self, item: object, index: int, options: dict[str, Any]) -> ItemFrame:
        """Returns an item as the worker reads it.

        Args:
            item: The item.
            index: The position of the item, for its error, and for its row if the item has no name.
            options: More members of its header, such as ``answer``.

        Raises:
            ItemError: The item can't be sent.
        """
        source = self.encoder.encode(item)
        try:
            return self._frame(source, item, index, options)
        except ValueError as error:
            raise ItemError("refused", f"The item can't be sent to the model: {error}.", item, index) from error

    def encode_failure(self, error: ItemError, item: object, index: int, options: dict[str, Any]) -> ItemFrame:
        """Returns an item that can't be sent, for the row that says so."""
        # The message may have a name that isn't UTF-8.
        message = error.message.encode(errors="backslashreplace").decode()
        failure = {"code": error.code, "message": message}
        return self._frame(Source({"failure": failure}), item, index, options)

    def _frame(self, source: Source, item: object, index: int, options: dict[str, Any]) -> ItemFrame:
        key = next(self._keys)
        members = {"type": "item", "id": key, **options, **source.members}
        if not source.is_named:
            members.setdefault("name", str(index))
        header = encode_header(members, sum(map(len, source.body)))
        return ItemFrame(key, item, header, source.body)

    def send(self, frames: Sequence[ItemFrame], done: Done) -> None:
        """Sends items as soon as the worker has room for them.

        Args:
            frames: The items, at most as many as the worker's window.
            done: Called with answers as they arrive, in another thread. Each item has one. It mustn't block.

        Raises:
            WorkerEnded: The worker has ended.
        """
        with self._room:
            while len(self._under_way) + len(frames) > self.window and self._end is None:
                self._room.wait()
            if self._end is not None:
                raise WorkerEnded(
                    self._end.reason, [frame.item for frame in frames], self._end.status, self._end.signal,
                    self._end.messages)
            for frame in frames:
                self._under_way[frame.key] = _UnderWay(frame.item, done)
        try:
            self._write([part for frame in frames for part in (memoryview(frame.header), *frame.body)])
        except BaseException:
            with self._room:
                for frame in frames:
                    self._under_way.pop(frame.key, None)
                self._room.notify_all()
            raise

    def cancel(self, keys: Sequence[int]) -> None:
        """Tells the worker that some items' answers are no longer needed."""
        for key in keys:
            if key in self._under_way and self._end is None:
                self._write([memoryview(encode_header({"type": "cancel", "id": key}, 0))])

    def _write(self, parts: list[memoryview]) -> None:
        """Writes whole frames. If the worker has ended, the reader fails all items under way."""
        with self._writing:
            try:
                write_frames(self._input, parts)
            except OSError:
                pass
            except BaseException:
                # Ctrl-C may leave half of a frame in the pipe, and nothing can follow that.
                self.kill()
                raise

    # The end

    def close(self) -> None:
        """Ends the worker: at once if it has items under way, otherwise by the end of its input."""
        if self._under_way:
            self.kill()
        self._close_input()
        try:
            self._process.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
        except BaseException:
            self.kill()
            raise
        if threading.current_thread() is not self._reader:
            self._reader.join(_ENDING_SECONDS)

    def _close_input(self) -> None:
        with self._writing, contextlib.suppress(OSError):
            self._input = -1  # so that no thread writes to another file that gets the number
            if self._process.stdin is not None:
                self._process.stdin.close()

    def kill(self) -> None:
        """Kills the worker, and the processes of a supervisor."""
        self._is_killed = True
        # Only wait() frees the number of a process, and until then no other process has it.
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def abandon(self) -> None:
        """Forgets the worker in a process that was forked. The worker belongs to the parent, and goes on."""
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()
        self._process.returncode = 0  # otherwise Popen would wait for a process that isn't a child
        # Another thread of the parent may have held these.
        self._room = threading.Condition()
        self._writing = threading.Lock()
        self._input = -1
        self._is_abandoned = True
        items = [call.item for call in self._under_way.values()]
        self._under_way.clear()
        self._end = WorkerEnded(_FORKED, items, None, None, "")

    def check_is_own(self) -> None:
        """Raises WorkerEnded if this process was forked, so that the answers go to its parent."""
        if self._is_abandoned:
            assert self._end is not None
            raise WorkerEnded(*self._end.args)

    # The reader's thread

    def _read(self) -> None:
        reason = ""
        poll = select.poll()
        for descriptor in (self._output, self._error):
            poll.register(descriptor, select.POLLIN)
        frames = FrameReader(lambda count: self._receive(poll, count))
        try:
            while (frame := frames.next()) is not None:
                self._handle(*frame)
        except _Silent as error:
            reason = str(error)
            self.kill()
        except FrameError as error:
            # The end within a frame is that of a process that ended, whose signal says more.
            reason = str(error) if self._is_running() else ""
            self.kill()
        except (KeyError, TypeError, ValueError) as error:
            reason = f"The worker's answer can't be read: {error!r}."
            self.kill()
        self._finish(reason)

    def _is_running(self) -> bool:
        try:
            self._process.wait(1)
        except subprocess.TimeoutExpired:
            return True
        return False

    def _receive(self, poll: select.poll, count: int) -> bytes:
        """Returns the worker's next bytes, and none after its end."""
        self._deliver()
        silence = 0
        while True:
            # This counts seconds in which nothing could be read. A clock would also count those in which
            # this thread didn't run.
            events = poll.poll(1000)
            ready = [descriptor for descriptor, _ in events]
            if self._error in ready and not self._read_messages():
                poll.unregister(self._error)
            if self._output in ready:
                return os.read(self._output, count)
            if not events:
                silence += 1
                if self._process.poll() is not None:
                    return b""
                limit = _SILENT_SECONDS if self._is_ready.is_set() else _STARTING_SECONDS
                if silence >= limit:
                    raise _Silent(f"The worker said nothing for {limit} seconds and was ended.")

    def _read_messages(self) -> bool:
        data = os.read(self._error, 1 << 16)
        for line in data.decode("utf-8", "replace").splitlines():
            _LOG.info("%s", line)
        self._messages += data
        del self._messages[:-_KEPT_MESSAGE_BYTES]
        return bool(data)

    def _handle(self, header: dict[str, Any], body: memoryview) -> None:
        kind = header.get("type")
        if kind in ("row", "outputs", "tensors", "failed"):
            self._arrived.append(Answer(header["id"], header, body))
        elif kind == "ready":
            if header.get("protocol") != PROTOCOL:
                raise ValueError(f"the protocol is {header.get('protocol')}, but this package has {PROTOCOL}")
            self.description = header
            self._is_ready.set()
        elif kind == "fault":
            self._fault = str(header.get("message"))

    def _deliver(self) -> None:
        """Passes on the answers that have arrived. Those that arrived together wake their thread once."""
        if not self._arrived:
            return
        answers: dict[Done, list[Answer]] = {}
        with self._room:
            for answer in self._arrived:
                call = self._under_way.pop(answer.key, None)
                if call is not None:
                    answers.setdefault(call.done, []).append(answer)
            self._room.notify_all()
        self._arrived.clear()
        for done, own in answers.items():
            done(own)

    def _finish(self, reason: str) -> None:
        """Fails the items under way after the worker's end."""
        self._deliver()
        try:
            self._process.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()
        while self._has_messages() and self._read_messages():
            pass
        self._close_input()
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()
        status = self._process.returncode
        name = None
        if status < 0:
            name = signal.Signals(-status).name if -status in signal.valid_signals() else f"signal {-status}"
        if not reason:
            how = f"was ended by {name}" if name else f"ended with status {status}"
            reason = f"The worker {how}." + (f" It said: {self._fault}" if self._fault else "")
        with self._room:
            calls = dict(self._under_way)
            self._under_way.clear()
            self._end = WorkerEnded(
                reason, [call.item for call in calls.values()], status if name is None else None, name,
                self._messages.decode("utf-8", "replace").strip())
            self._room.notify_all()
        self._is_ready.set()
        for key, call in calls.items():
            call.done([Answer(key, {}, memoryview(b""), WorkerEnded(*self._end.args))])

    def _has_messages(self) -> bool:
        poll = select.poll()
        poll.register(self._error, select.POLLIN)
        return bool(poll.poll(0))

    def _start_error(self) -> Error:
        assert self._end is not None
        if self._end.status is not None and self._end.messages:
            return Error(f"The worker can't start: {self._end.messages.removeprefix('error: ')}")
        return WorkerEnded(
            f"The worker can't start. {self._end.reason}", (), self._end.status, self._end.signal, self._end.messages)


class _Silent(Exception):
    """The worker seems to hang."""
