# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Compares the texts of Net Runner's page with their German translations.

Prints what is missing when it runs by itself: python Scripts/test_messages.py
"""

import json
import re
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

ASSETS = Path(__file__).resolve().parent.parent / "Sources/NetRunnerWeb/Assets"
SCRIPTS = sorted((ASSETS / "js").glob("*.js"))

# Texts of index.html that are the same in every language.
SAME = {"Net Runner"}
# Literals that look like texts, but are names of keys, header fields, types and units.
NAMES = {"Authorization", "Bearer", "Enter", "Escape", "Files", "Delete", "Backspace", "Tab", "Home", "End",
         "Shift", "Space", "Arrow", "Cancelled", "Deutsch", "English", "Net", "Runner", "px", "ms", "min"}
TEXT_MEMBERS = {"text", "title", "label", "placeholder", "alt", "details", "action", "note", "hint", "name",
                "aria-label", "aria-description", "textContent"}
CLASS_MEMBERS = {"class", "kind", "className", "font"}
TEXT_ATTRIBUTES = {"aria-label", "title", "placeholder", "data-title", "data-hint"}

TOKEN = re.compile(r"""
    (?P<space>\s+|//[^\n]*|/\*.*?\*/)
  | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
  | (?P<name>[#\w$]+)
  | (?P<sign>=>|\?\?=?|&&|\|\||\.\.\.|.)
""", re.VERBOSE | re.DOTALL)
# After these, a slash begins a regular expression rather than a division.
BEFORE_REGEX = set("(,=:[!&|?{};+-*%<>~^") | {"=>", "??", "&&", "||", "return", "typeof", ""}
REGEX = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/\w*")


class Token(NamedTuple):
    kind: str
    text: str
    line: int


def tokens(source: str) -> list[Token]:
    """Returns the tokens of a script. A template literal is one token, before those of its expressions."""
    found: list[Token] = []
    place = 0
    while place < len(source):
        line = source.count("\n", 0, place) + 1
        before = found[-1].text if found else ""
        if source[place] == "`":
            text, expressions, place = template(source, place)
            found.append(Token("template", text, line))
            for expression in expressions:
                found.append(Token("sign", ";", line))
                found += [Token(kind, each, line + at - 1) for kind, each, at in tokens(expression)]
            continue
        if source[place] == "/" and source[place + 1] not in "/*" and before in BEFORE_REGEX:
            match = REGEX.match(source, place)
            assert match, f"line {line}"
            found.append(Token("regex", match.group(), line))
        else:
            match = TOKEN.match(source, place)
            kind = match.lastgroup
            text = match.group()
            if kind == "string":
                text = text[1:-1] if text[0] == "'" else json.loads(text)
            if kind != "space":
                found.append(Token(kind, text, line))
        place = match.end()
    return found


def template(source: str, start: int) -> tuple[str, list[str], int]:
    """Returns a template literal's text without its expressions, the expressions, and where it ends."""
    text, expressions, place = "", [], start + 1
    while source[place] != "`":
        if source[place] == "\\":
            place += 2
        elif source.startswith("${", place):
            first, depth = place + 2, 1
            place = first
            while depth > 0:
                if source[place] == "`":
                    place = template(source, place)[2]
                    continue
                depth += {"{": 1, "}": -1}.get(source[place], 0)
                place += 1
            expressions.append(source[first:place - 1])
            text += "\0"
        else:
            text += source[place]
            place += 1
    return text, expressions, place + 1


def arguments(script: list[Token], opening: int) -> list[list[Token]]:
    """Returns the tokens of each argument of the call whose opening parenthesis is at an index."""
    groups: list[list[Token]] = [[]]
    depth = 0
    for token in script[opening:]:
        if token.kind == "sign" and token.text in "([{":
            depth += 1
            if depth == 1:
                continue
        if token.kind == "sign" and token.text in ")]}":
            depth -= 1
            if depth == 0:
                break
        if depth == 1 and token.kind == "sign" and token.text == ",":
            groups.append([])
        else:
            groups[-1].append(token)
    return [group for group in groups if group]


class Message(NamedTuple):
    """A text and, if it depends on a count, its form for one."""

    text: str
    one: str | None
    where: str


def messages(path: Path, problems: list[str]) -> tuple[list[Message], set[int]]:
    """Returns the texts that a script passes to `t` and `tn`, and the indices of the tokens that they are."""
    script = tokens(path.read_text())
    found, used = [], set()
    for index, token in enumerate(script[:-1]):
        is_call = token.kind == "name" and token.text in ("t", "tn") and script[index + 1].text == "("
        if not is_call or (index > 0 and script[index - 1].text in (".", "function")):
            continue
        where = f"{path.name}:{token.line}"
        given = arguments(script, index + 1)
        wanted = given[:1] if token.text == "t" else given[1:3]
        if not wanted or any(len(each) != 1 or each[0].kind != "string" for each in wanted):
            problems.append(f"{where}: {token.text} takes literal strings.")
            continue
        for each in wanted:
            used.add(next(place for place, other in enumerate(script) if place > index and other is each[0]))
        one = wanted[0][0].text if token.text == "tn" else None
        found.append(Message(wanted[-1][0].text, one, where))
    return found, used


class Page(HTMLParser):
    """Collects the texts of index.html in the way that `translate` of messages.js finds them."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[tuple[str, int]] = []
        self.is_body = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.is_body = self.is_body or tag == "body"
        for name, value in attributes:
            if self.is_body and name in TEXT_ATTRIBUTES and value:
                self.texts.append((value, self.getpos()[0]))

    def handle_data(self, data: str) -> None:
        if self.is_body:
            self.texts.append((data.strip(), self.getpos()[0]))


def page_messages() -> list[Message]:
    page = Page()
    page.feed((ASSETS / "index.html").read_text())
    return [Message(text, None, f"index.html:{line}") for text, line in page.texts
            if re.search(r"[A-Za-z]{2}", text) and text not in SAME and not text.startswith("https:")]


def german(problems: list[str]) -> dict[str, str | list[str]]:
    """Returns the translations of all scripts whose name begins with german."""
    found: dict[str, str | list[str]] = {}
    for path in SCRIPTS:
        if not path.name.startswith("german"):
            continue
        script = tokens(path.read_text())
        for index in range(len(script) - 2):
            key, colon, value = script[index:index + 3]
            if key.kind not in ("string", "name") or colon.text != ":" or colon.kind != "sign":
                continue
            if key.text in found:
                problems.append(f"{path.name}:{key.line}: “{key.text}” is there twice.")
            if value.kind == "string":
                found[key.text] = value.text
            elif value.text == "[":
                found[key.text] = [each[0].text for each in arguments(script, index + 2)]
            else:
                problems.append(f"{path.name}:{key.line}: “{key.text}” has no literal translation.")
    return found


def untranslated(path: Path, used: set[int]) -> list[str]:
    """Returns the literals of a script that look like texts for people, but aren't passed to `t`."""
    script = tokens(path.read_text())
    found = []
    for index, token in enumerate(script):
        if token.kind not in ("string", "template") or index in used or token.text in NAMES:
            continue
        before = [each.text for each in script[max(0, index - 2):index]]
        is_class = len(before) == 2 and before[0] in CLASS_MEMBERS and before[1] in (":", "=")
        if is_class or "import" in before or "from" in before:
            continue
        is_member = len(before) == 2 and before[0] in TEXT_MEMBERS and before[1] in (":", "=")
        words = [word for word in re.findall(r"[A-Za-z]{2,}", token.text.replace("\0", " ")) if word not in NAMES]
        if token.kind == "template":
            is_text = bool(words and re.search(r"\s", token.text)
                           and re.search(r"(^|[\s\0])[A-Za-z][a-z]+([\s.,:]|$)", token.text)
                           and not re.fullmatch(r"[a-z]+ \0", token.text))
        else:
            is_sentence = words and re.match(r"[A-Z][a-z]+('[a-z]+)?([ .,:!?…]|$)", token.text)
            is_text = bool(is_sentence or re.search(r"[a-z]+ [a-z]+.*[.?!]$", token.text)
                           or (is_member and words and not re.fullmatch(r"[a-z]+([A-Z.-]\w+)*", token.text)))
        if is_text:
            shown = token.text.replace("\0", "…").strip()
            found.append(f"{path.name}:{token.line}: “{shown}” isn't translated.")
    return found


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


def wrong(message: Message, translation: str | list[str]) -> str | None:
    """Returns what is wrong with a translation, or None."""
    if isinstance(translation, list) != (message.one is not None):
        number = "one text" if message.one is None else "two texts"
        return f"{message.where}: the translation of “{message.text}” needs {number}."
    texts = translation if isinstance(translation, list) else [translation]
    originals = [message.text] if message.one is None else [message.one, message.text]
    for original, text in zip(originals, texts):
        # One of something may be a word.
        if placeholders(original) - {"n"} != placeholders(text) - {"n"} or (
                message.one is None and placeholders(original) != placeholders(text)):
            return f"{message.where}: “{text}” has other placeholders than “{original}”."
    return None


def problems() -> list[str]:
    """Returns everything that is wrong with the page's texts."""
    found: list[str] = []
    translations = german(found)
    all_messages = page_messages()
    for path in SCRIPTS:
        if path.name == "messages.js" or path.name.startswith("german"):
            continue
        of_script, used = messages(path, found)
        all_messages += of_script
        found += untranslated(path, used)
    for message in all_messages:
        if message.text not in translations:
            found.append(f"{message.where}: German lacks “{message.text}”.")
        elif text := wrong(message, translations[message.text]):
            found.append(text)
    for text in sorted(set(translations) - {message.text for message in all_messages}):
        found.append(f"German has “{text}”, which isn't used.")
    return list(dict.fromkeys(found))


class CollectorTests(unittest.TestCase):
    def collected(self, script: str) -> tuple[list[Message], list[str], list[str]]:
        """The texts of a script, what is wrong with its calls, and what isn't translated."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "script.js"
            path.write_text(script)
            wrong_calls: list[str] = []
            found, used = messages(path, wrong_calls)
            return found, wrong_calls, untranslated(path, used)

    def test_texts_are_found_in_calls_templates_and_beside_regular_expressions(self) -> None:
        found, wrong_calls, left = self.collected(
            'const quoted = text.replace(/["`]/g, ""); // t("Not a call")\n'
            'el("p", { class: "muted small", text: `${t("One. \\"Two\\"")}, ${tn(f(1, [2]), "{n} a", "{n} b")}` });')
        self.assertEqual([(each.text, each.one) for each in found], [('One. "Two"', None), ("{n} b", "{n} a")])
        self.assertEqual((wrong_calls, left), ([], []))

    def test_calls_without_literals_are_wrong(self) -> None:
        for call in ["t(name)", "t(`Text`)", 't("a" + b)', 't(a ? "Yes" : "No")', 'tn(1, "one", many)']:
            self.assertEqual(len(self.collected(call)[1]), 1, call)

    def test_texts_that_are_not_translated_are_found(self) -> None:
        for script in ['el("p", { text: "Hello" })', 'node.title = "lower Case";', 'warn("It failed.")',
                       "say(`${n} of ${all}`)", 'el("b", {}, "Cancel")', "tell('No model')"]:
            self.assertEqual(len(self.collected(script)[2]), 1, script)
        for script in ['el("p", { class: "muted small" })', 'import { a } from "./Some file.js";', '"image/png"',
                       "`${value} ms`", "`card ${kind}`", 'event.key === "Enter"']:
            self.assertEqual(self.collected(script)[2], [], script)


class MessageTests(unittest.TestCase):
    def test_every_text_is_translated(self) -> None:
        self.assertEqual(problems(), [])


if __name__ == "__main__":
    print("\n".join(problems()) or "All texts are translated.")
