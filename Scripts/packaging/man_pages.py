#!/usr/bin/env python3
# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Writes the man pages of the programs from their own help.

    man_pages.py .build/release man1    writes man1/tensorio.1, man1/tensorio-run.1 and so on

Every program describes its commands as JSON (`--experimental-dump-help`). Each command becomes a page.
Commands that another program in the folder implements are described by that program's pages.
SOURCE_DATE_EPOCH sets the date of the pages.

This needs only the standard library of Python 3.9 or later.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import NamedTuple

PROGRAMS = ("tensorio", "tensorio-netrunner", "tensorio-repository")

LIBRARIES = [
    ("TENSORIO_HOME", "The folder of libraries and imported models. Without it, the folder is "
     "tensorio in $XDG_DATA_HOME, or ~/.local/share/tensorio."),
    ("TENSORIO_LITERT_LIBRARY", "The path of LiteRT's library, instead of a search for it."),
]
ENVIRONMENT = {
    "tensorio": LIBRARIES + [
        ("TENSORIO_TENSORFLOW_LIBRARY",
         "The path of TensorFlow's library, instead of a search for it."),
        ("TENSORIO_CURL_LIBRARY", "The path of libcurl, instead of a search for it."),
        ("TENSORIO_ZIP_LIBRARY", "The path of libzip, instead of a search for it."),
        ("TENSORIO_SNDFILE_LIBRARY", "The path of libsndfile, instead of a search for it."),
        ("TENSORIO_CRYPTO_LIBRARY", "The path of libcrypto, instead of a search for it."),
        ("TENSORIO_SQLITE_LIBRARY", "The path of SQLite, instead of a search for it."),
    ],
    "tensorio-netrunner": LIBRARIES + [
        ("TENSORIO_NETRUNNER_TOKEN", "The token that every request must contain, as --token."),
        ("TENSORIO_REPOSITORY_TOKEN", "The token of the repository that --repository names."),
    ],
    "tensorio-repository": LIBRARIES + [
        ("TENSORIO_REPOSITORY", "The address of the server, as --server."),
        ("TENSORIO_REPOSITORY_TOKEN", "The token that the server requires, as --token."),
        ("TENSORIO_MIRROR_TOKEN", "The token of the repository that serve --mirror names."),
    ],
}


class ManPageError(Exception):
    """An error whose text says what happened and how to fix it."""


class ExitCode(NamedTuple):
    """An exit code, its meaning, and the commands that use it; no commands means all of them."""

    code: int
    meaning: str
    commands: tuple[str, ...] = ()


class Page(NamedTuple):
    """A command, and the words that call it, such as tensorio, repository, push."""

    words: tuple[str, ...]
    command: dict

    @property
    def name(self) -> str:
        return "-".join(self.words)

    @property
    def subcommands(self) -> list["Page"]:
        return [
            Page((*self.words, command["commandName"]), command)
            for command in self.command.get("subcommands", [])
            if command.get("shouldDisplay", True) and command["commandName"] != "help"
        ]


# The characters that roff would change. A minus, for example, must remain a minus when a reader copies it.
ESCAPES = str.maketrans({
    "\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti",
    "…": "...", "“": '"', "”": '"', "’": r"\(aq", "—": r"\(em", "–": r"\(en",
})


def escape(text: str) -> str:
    """Escapes text for roff, where a line that begins with a dot would be a request."""
    text = text.translate(ESCAPES)
    return re.sub(r"(?m)^\.", r"\\&.", text)


def filled(text: str) -> str:
    """Returns a paragraph with each sentence on a new line, as is usual in roff."""
    text = escape(" ".join(text.split()))
    sentences = re.sub(r"(?<=[a-z\"')][.?!]) +(?=[A-Z\"'-])", "\n", text).split("\n")
    lines = [
        line for sentence in sentences
        for line in textwrap.wrap(sentence, 80, break_long_words=False, break_on_hyphens=False)]
    return "\n".join(r"\&" + line if line.startswith(".") else line for line in lines)


def paragraphs(text: str) -> list[str]:
    return [block for block in re.split(r"\n[ \t]*\n", text.strip("\n")) if block.strip()]


def is_verbatim(line: str) -> bool:
    return line.startswith("  ")


def blocks(text: str):
    """Yields (is verbatim, text). Examples and tables keep their lines; paragraphs are filled."""
    for paragraph in paragraphs(text):
        lines = paragraph.split("\n")
        # A row of a table has words with a gap. Rows without a gap also belong to the table.
        if any(re.search(r"\S {2,}\S", line) for line in lines) and not any(
            map(is_verbatim, lines[:1])
        ) and not lines[0].endswith(":"):
            yield True, paragraph
            continue
        run: list[str] = []
        verbatim = is_verbatim(lines[0])
        for line in lines:
            if is_verbatim(line) != verbatim:
                yield verbatim, "\n".join(run)
                run, verbatim = [], is_verbatim(line)
            run.append(line)
        yield verbatim, "\n".join(run)


def body(text: str) -> list[str]:
    """Returns a discussion as roff."""
    lines: list[str] = []
    for verbatim, block in blocks(text):
        if verbatim:
            indentation = min(
                len(line) - len(line.lstrip()) for line in block.split("\n") if line.strip())
            block = "\n".join(line[indentation:] for line in block.split("\n"))
            lines += [".PP", ".RS 4", ".nf", escape(block), ".fi", ".RE"]
        else:
            lines += [".PP", filled(block)]
    return lines


def split_exit_codes(text: str) -> tuple[str, list[ExitCode]]:
    """Removes the sentence "Exit codes: 0 done, 1 ...; evaluate: 2 ..." from a discussion."""
    found = re.search(r"Exit codes: (\d+ .*?)\.(?=\s+[A-Z]|\s*$)", text, re.DOTALL)
    if not found:
        return text, []
    codes: list[ExitCode] = []
    for part in re.split(r";\s+", " ".join(found[1].split())):
        named = re.match(r"([a-z][a-z, -]*): (?=\d)", part)
        commands = tuple(re.split(r",\s*", named[1])) if named else ()
        for entry in re.split(r",\s+(?=\d+ )", part[named.end():] if named else part):
            code, _, meaning = entry.partition(" ")
            # The list itself shows the codes that are "as for every command".
            meaning = re.sub(r", others as for every command$", "", meaning)
            if not code.isdigit():
                return text, []
            codes.append(ExitCode(int(code), meaning, commands))
    rest = (text[: found.start()].rstrip(" ") + text[found.end():]).strip("\n")
    return rest, codes


def split_examples(text: str) -> tuple[str, str]:
    """Removes the examples, which are the indented lines under "Examples:", from a discussion."""
    found = re.search(r"(?m)^Examples?:\n((?:  .*\n?)+)", text)
    if not found:
        return text, ""
    return (text[: found.start()] + text[found.end():]).strip("\n"), found[1].rstrip("\n")


def value_name(argument: dict) -> str:
    return r"\fI" + escape(argument.get("valueName", "value")) + r"\fR"


def spelling(name: dict) -> str:
    dashes = "--" if name["kind"] == "long" else "-"
    return r"\fB" + escape(dashes + name["name"]) + r"\fR"


def explanation(argument: dict) -> list[str]:
    text = [argument.get("abstract", "").strip(), argument.get("discussion", "").strip()]
    values = argument.get("allValues") or argument.get("allValueStrings") or []
    if values and not all(value in " ".join(text) for value in values):
        text.append("Values: " + ", ".join(values) + ".")
    if argument.get("defaultValue") and argument["kind"] != "flag":
        text.append("Default: " + argument["defaultValue"] + ".")
    sentences = [part for part in text if part]
    for index, part in enumerate(sentences[:-1]):
        if part[-1] not in ".?!:":
            sentences[index] = part + "."
    if not sentences:
        return []
    first, *rest = body("\n\n".join([" ".join(sentences)]))
    return rest if first == ".PP" else [first, *rest]


def arguments_section(page: Page, kinds: tuple[str, ...], title: str) -> list[str]:
    lines: list[str] = []
    for argument in page.command.get("arguments", []):
        if argument["kind"] not in kinds or not argument.get("shouldDisplay", True):
            continue
        if argument["kind"] == "positional":
            term = value_name(argument)
        else:
            names = sorted(argument.get("names", []), key=lambda name: name["kind"] == "long")
            term = ", ".join(spelling(name) for name in names)
            if argument["kind"] == "option":
                term += " " + value_name(argument)
        lines += [".TP", term, *(explanation(argument) or [r"\&"])]
    return [f".SH {title}", *lines] if lines else []


def synopsis(page: Page) -> list[str]:
    lines = [".SH SYNOPSIS"]
    bold = r"\fB" + escape(" ".join(page.words)) + r"\fR"
    subcommands = page.subcommands
    shown = [a for a in page.command.get("arguments", []) if a.get("shouldDisplay", True)]
    words = [r"[\fIoptions\fR]"] if any(a["kind"] != "positional" for a in shown) else []
    for argument in shown:
        if argument["kind"] == "positional":
            word = value_name(argument) + (" ..." if argument.get("isRepeating") else "")
            words.append(f"[{word}]" if argument.get("isOptional") else word)
    if subcommands:
        lines += [f"{bold} \\fIcommand\\fR [\\fIarguments\\fR]", ".br"]
    if not subcommands or len(words) > 1 or page.command.get("defaultSubcommand"):
        lines.append(" ".join([bold, *words]))
    else:
        lines.append(f"{bold} " + r"[\fB\-\-help\fR] [\fB\-\-version\fR]")
    return lines


def commands_section(page: Page, programs: dict[str, Page]) -> list[str]:
    lines: list[str] = []
    for command in page.subcommands:
        abstract = command.command.get("abstract", "")
        if command.name in programs:
            abstract = programs[command.name].command.get("abstract", abstract)
        lines += [".TP", rf"\fB{escape(command.name)}\fR(1)", filled(abstract)]
    return [".SH COMMANDS", *lines] if lines else []


def exit_status_section(page: Page, shared: list[ExitCode], own: list[ExitCode]) -> list[str]:
    own_codes = {code.code for code in own}
    codes = [
        code for code in shared
        if (len(page.words) == 1 or not code.commands or page.words[1] in code.commands)
        and (code.code not in own_codes or len(page.words) == 1)
    ]
    codes = sorted(codes + [code for code in own if code not in codes])
    lines: list[str] = []
    for code in codes:
        meaning = code.meaning[0].upper() + code.meaning[1:]
        if code.commands and len(page.words) == 1:
            meaning = f"{', '.join(code.commands)}: {code.meaning}"
        lines += [".TP", rf"\fB{code.code}\fR", filled(meaning + ".")]
    return [".SH EXIT STATUS", *lines] if lines else []


def environment_section(page: Page) -> list[str]:
    lines: list[str] = []
    for name, text in ENVIRONMENT.get(page.name, []):
        lines += [".TP", rf"\fB{name}\fR", filled(text)]
    return [".SH ENVIRONMENT", *lines] if lines else []


def see_also_section(page: Page, programs: dict[str, Page]) -> list[str]:
    names = ["-".join(page.words[:count]) for count in range(len(page.words) - 1, 0, -1)]
    names += [command.name for command in page.subcommands]
    names += [name for name in programs if len(page.words) == 1 or page.name in programs]
    names = [name for name in dict.fromkeys(names) if name != page.name]
    lines = [rf"\fB{escape(name)}\fR(1)" for name in sorted(names)]
    return [".SH SEE ALSO", ",\n".join(lines)] if lines else []


def render(
    page: Page, shared: list[ExitCode], programs: dict[str, Page], version: str, date: str
) -> str:
    """Returns a page as roff."""
    abstract = page.command.get("abstract", "").strip().rstrip(".") or page.name
    # NAME is a single line, and its description begins in lowercase, so that apropos can read it.
    abstract = " ".join(abstract.split())
    if not abstract.split(" ")[0].isupper():
        abstract = abstract[0].lower() + abstract[1:]
    abstract = re.sub(r"\. (?=[A-Z])", "; ", abstract)
    discussion, own = split_exit_codes(page.command.get("discussion", ""))
    discussion, examples = split_examples(discussion)
    lines = [
        r'.\" Written by Scripts/packaging/man_pages.py.',
        f'.TH {escape(page.name.upper())} 1 "{date}" "tensorio {version}" "TensorIO"',
        ".nh",
        ".ad l",
        ".SH NAME",
        rf"{escape(page.name)} \- {escape(abstract)}",
        *synopsis(page),
        ".SH DESCRIPTION",
        *(body(discussion) or [filled(page.command.get("abstract", page.name))]),
        *commands_section(page, programs),
        *arguments_section(page, ("positional",), "ARGUMENTS"),
        *arguments_section(page, ("option", "flag"), "OPTIONS"),
        *exit_status_section(page, shared, own),
        *environment_section(page),
    ]
    if examples:
        lines += [".SH EXAMPLES", *body(examples)]
    lines += see_also_section(page, programs)
    # Remove paragraph macros after headings. They do nothing, and linters report them.
    text = "\n".join(lines) + "\n"
    text = re.sub(r"(?m)^(\.SH .*\n)\.PP\n", r"\1", text)
    return re.sub(r"(?m)^\.PP\n(\.RS)", r".sp\n\1", text)


def dump(program: Path) -> dict:
    """Returns a program's own description of its commands."""
    try:
        result = subprocess.run(
            [str(program), "--experimental-dump-help"], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, check=True)
        said = json.loads(result.stdout)
    except (OSError, subprocess.CalledProcessError, ValueError) as error:
        raise ManPageError(f"{program} --experimental-dump-help does not work: {error}") from None
    if said.get("serializationVersion") != 0:
        raise ManPageError(
            f"{program} describes itself in version {said.get('serializationVersion')}, expected 0.")
    return said["command"]


def version_of(program: Path) -> str:
    result = subprocess.run([str(program), "--version"], stdout=subprocess.PIPE, text=True)
    return result.stdout.strip() or "unknown"


def pages(programs: dict[str, Page]):
    """Yields every page, with the pages of the programs first."""
    queue = list(programs.values())
    while queue:
        page = queue.pop(0)
        yield page
        queue += [command for command in page.subcommands if command.name not in programs]


def write_pages(folder: Path, output: Path, date: str) -> list[str]:
    """Writes every page and returns the file names."""
    programs = {
        name: Page(tuple(name.split("-", 1)), dump(folder / name)) for name in PROGRAMS
    }
    version = version_of(folder / "tensorio")
    _, shared = split_exit_codes(programs["tensorio"].command.get("discussion", ""))
    output.mkdir(parents=True, exist_ok=True)
    names = []
    for page in pages(programs):
        names.append(page.name + ".1")
        text = render(page, shared, programs, version, date)
        (output / names[-1]).write_text(text, encoding="utf-8")
    return names


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes the programs' man pages.")
    parser.add_argument("programs", type=Path, help="the folder of the three programs")
    parser.add_argument("output", type=Path, help="the folder of the pages")
    arguments = parser.parse_args()
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or time.time())
    date = time.strftime("%Y-%m-%d", time.gmtime(epoch))
    try:
        write_pages(arguments.programs, arguments.output, date)
    except (ManPageError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 70
    return 0


if __name__ == "__main__":
    sys.exit(main())
