# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Trains and runs tokenizers with the package tokenizers, on text in many scripts.

    tokenizers_peer.py < CASES.json

Reads an array of cases, each with a `kind`, and prints an array of results. Token indices are texts with a space
between the numbers, which are fast to read.
"""

import base64
import json
import random
import sys
import tempfile
from pathlib import Path

import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from tokenizers import implementations

# The first and last characters of each script, and how frequent it is.
SCRIPTS = {
    "latin": (0x61, 0x7A, 30),
    "capitals": (0x41, 0x5A, 6),
    "accents": (0xC0, 0x17F, 8),
    "vietnamese": (0x1EA0, 0x1EF9, 3),
    "greek": (0x391, 0x3C9, 4),
    "polytonic": (0x1F00, 0x1FFC, 1),
    "cyrillic": (0x410, 0x44F, 8),
    "armenian": (0x531, 0x586, 1),
    "hebrew": (0x5D0, 0x5EA, 3),
    "arabic": (0x621, 0x64A, 5),
    "devanagari": (0x904, 0x94D, 4),
    "bengali": (0x985, 0x9CD, 1),
    "thai": (0xE01, 0xE4E, 3),
    "tibetan": (0xF40, 0xF84, 1),
    "georgian": (0x10D0, 0x10FF, 1),
    "jamo": (0x1100, 0x11FF, 1),
    "hiragana": (0x3041, 0x3096, 3),
    "katakana": (0x30A1, 0x30FE, 3),
    "han": (0x4E00, 0x4FFF, 6),
    "rare_han": (0x20000, 0x200FF, 1),
    "compatible_han": (0xF900, 0xFAD9, 1),
    "hangul": (0xAC00, 0xAFFF, 4),
    "fullwidth": (0xFF01, 0xFFDC, 2),
    "mathematical": (0x1D400, 0x1D7FF, 1),
    "letterlike": (0x2100, 0x218B, 1),
    "enclosed": (0x2460, 0x24FF, 1),
    "square": (0x3300, 0x33FF, 1),
    "ligatures": (0xFB00, 0xFB4F, 1),
    "arabic_forms": (0xFB50, 0xFDFF, 1),
}
MARKS = [*range(0x300, 0x370), *range(0x591, 0x5BE), *range(0x64B, 0x653), 0x93C, 0x3099, 0x309A, 0x20E3, 0x1D165]
SPACES = ["  ", "   ", "\t", "\n", "\r\n", "\u00a0", "\u2003", "\u3000", "\u200b", "\u2028", "\u0085", "\x0b"]
CONTROLS = ["\0", "\x01", "\x7f", "\u00ad", "\ufeff", "\ufffd", "\u200d", "\u200e", "\ue000", "\U000e0041", "\x9f"]
EMOJI = ["😀", "👩‍👩‍👧", "🏳️‍🌈", "👍🏽", "🇨🇭", "🇫🇷🇩🇪", "❤️", "1️⃣", "🧑‍🚀", "☃", "\U0001f9ff", "\U0001fae8"]
PUNCTUATION = list(".,;:!?'\"()[]{}<>/\\|@#$%^&*-_=+~`") + ["…", "—", "«", "»", "“", "”", "¿", "।", "、", "。", "؟", "᙭"]
CODE = [
    "for (int i = 0; i < n; i++) { sum += a[i]; }",
    "def f(x: int) -> str: return f'{x!r}'",
    "let url = \"https://example.com/a?b=c&d=%20\" // TODO",
    "SELECT * FROM t WHERE id IN (1, 2);",
    "    if not x:\n        return None\n",
    "it's I'm they'll we've you'd CAN'T SHE'S don't do not",
]
SPECIALS = ["[MASK]", "[CLS]", " <s> ", "</s>", "<|end|>", "<Extra>", "lemma", "[SEP] ", "<mask>", "##ing", "▁", "<0x41>"]


class Corpus:
    """Words and sentences in many scripts."""

    def __init__(self, seed: int, has_any_scalar: bool = True) -> None:
        """Makes the words, of which the first ones are the most frequent."""
        self.random = random.Random(seed)
        self.has_any_scalar = has_any_scalar
        self.words = {name: [self._word(*span[:2]) for _ in range(150)] for name, span in SCRIPTS.items()}

    def _word(self, first: int, last: int) -> str:
        length = self.random.choice([1, 2, 2, 3, 3, 4, 5, 6, 8, 12])
        letters = "".join(chr(self.random.randint(first, last)) for _ in range(length))
        if self.random.random() < 0.08:
            place = self.random.randint(0, length)
            marks = "".join(chr(self.random.choice(MARKS)) for _ in range(self.random.randint(1, 4)))
            letters = letters[:place] + marks + letters[place:]
        return letters

    def _item(self) -> str:
        chance = self.random.random()
        if chance < 0.80:
            name = self.random.choices(list(SCRIPTS), [span[2] for span in SCRIPTS.values()])[0]
            word = self.words[name][int(150 * self.random.random() ** 3)]
            return word.capitalize() if self.random.random() < 0.1 else word
        if chance < 0.86:
            digits = "0123456789" if self.random.random() < 0.8 else "٠١٢٣٤٥٦٧٨٩"
            number = "".join(self.random.choice(digits) for _ in range(self.random.randint(1, 9)))
            return number + self.random.choice(["", "", ".5", ",000", "%", "km²", "½", "Ⅷ"])
        if chance < 0.90:
            return "".join(self.random.choice(PUNCTUATION) for _ in range(self.random.randint(1, 4)))
        if chance < 0.92:
            return "".join(self.random.choice(EMOJI) for _ in range(self.random.randint(1, 3)))
        if chance < 0.94:
            return self.random.choice(CODE)
        if chance < 0.96:
            return self.random.choice(SPECIALS)
        if chance < 0.97:
            return self.random.choice(CONTROLS)
        if chance < 0.98:
            return self.random.choice(self.words["latin"]) * self.random.randint(10, 40)
        return self._scalars() if self.has_any_scalar else " "

    def _scalars(self) -> str:
        """Returns scalars of any kind, also some that no version of Unicode assigns."""
        codes = []
        while len(codes) < 6:
            code = self.random.choice([self.random.randrange(0x3400), self.random.randrange(0x20000), self.random.randrange(0x110000)])
            if not 0xD800 <= code < 0xE000:
                codes.append(chr(code))
        return "".join(codes)

    def line(self) -> str:
        """Returns a line of up to 30 words."""
        text = self.random.choice(["", "", "", " ", "\n"])
        for _ in range(self.random.randint(0, 30)):
            text += self._item()
            chance = self.random.random()
            text += " " if chance < 0.8 else self.random.choice(PUNCTUATION) + " " if chance < 0.9 else ""
            text += self.random.choice(SPACES) if chance > 0.96 else ""
        return text


def _bert(lines: list, size: int, uncased: bool) -> Tokenizer:
    tokenizer = implementations.BertWordPieceTokenizer(lowercase=uncased, strip_accents=None if uncased else False)
    tokenizer.train_from_iterator(lines, vocab_size=size, min_frequency=2, show_progress=False)
    tokenizer.post_processor = processors.BertProcessing(
        ("[SEP]", tokenizer.token_to_id("[SEP]")), ("[CLS]", tokenizer.token_to_id("[CLS]"))
    )
    return tokenizer


def _byte_level(lines: list, size: int) -> Tokenizer:
    tokenizer = implementations.ByteLevelBPETokenizer(add_prefix_space=True, unicode_normalizer="nfkc")
    tokens = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer.train_from_iterator(lines, vocab_size=size, min_frequency=2, show_progress=False, special_tokens=tokens)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=True)])
    tokenizer.add_tokens([AddedToken("lemma", single_word=True), AddedToken("<Extra>", rstrip=True), "▁"])
    return tokenizer


def _sentencepiece_bpe(lines: list, size: int) -> Tokenizer:
    tokenizer = implementations.SentencePieceBPETokenizer()
    tokenizer.train_from_iterator(lines, vocab_size=size, min_frequency=2, show_progress=False)
    return tokenizer


def _sentencepiece_unigram(lines: list, size: int) -> Tokenizer:
    tokenizer = implementations.SentencePieceUnigramTokenizer()
    tokenizer.train_from_iterator(
        lines, vocab_size=size, show_progress=False, unk_token="<unk>", special_tokens=["<unk>", "<s>", "</s>"]
    )
    return tokenizer


def _char_bpe(lines: list, size: int) -> Tokenizer:
    tokenizer = implementations.CharBPETokenizer(lowercase=True, unicode_normalizer="nfd")
    tokenizer.train_from_iterator(lines, vocab_size=size, min_frequency=3, show_progress=False)
    return tokenizer


def _llama(lines: list, size: int) -> Tokenizer:
    """Makes a tokenizer like that of Llama 2: no pre-tokenizer, and tokens of bytes."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never")
    tokens = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=tokens, limit_alphabet=700, show_progress=False)
    tokenizer.train_from_iterator(lines, trainer)
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    document = json.loads(tokenizer.to_str())
    document["pre_tokenizer"] = None
    document["added_tokens"] = document["added_tokens"][:3]
    return Tokenizer.from_str(json.dumps(document))


QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def _qwen(lines: list, size: int) -> Tokenizer:
    """Makes a tokenizer like those of Llama 3 and Qwen: bytes, and a pattern for words."""
    tokenizer = Tokenizer(models.BPE(ignore_merges=True))
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(QWEN), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=size, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(lines, trainer)
    tokenizer.add_special_tokens(["<|end|>", "<|begin|>"])
    tokenizer.post_processor = processors.Sequence(
        [
            processors.ByteLevel(trim_offsets=False),
            processors.TemplateProcessing(
                single="<|begin|> $A", pair="<|begin|> $A <|end|> $B:1 <|end|>:1",
                special_tokens=[(name, tokenizer.token_to_id(name)) for name in ["<|begin|>", "<|end|>"]],
            ),
        ]
    )
    return tokenizer


def character_map(rule: str) -> str:
    """Returns the character map of SentencePiece in base64."""
    with tempfile.TemporaryDirectory() as folder:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(["a b c d e f g", "h i j k l m"]), model_prefix=f"{folder}/model", vocab_size=20,
            normalization_rule_name=rule, minloglevel=2, hard_vocab_limit=False,
        )
        model = sentencepiece_model_pb2.ModelProto()
        model.ParseFromString(Path(folder, "model.model").read_bytes())
    return base64.b64encode(model.normalizer_spec.precompiled_charsmap).decode()


def _xlm(lines: list, size: int) -> Tokenizer:
    """Makes a tokenizer like those of XLM-R and T5: SentencePiece's characters, and Unigram with bytes."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Precompiled(base64.b64decode(character_map("nmt_nfkc"))), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    tokenizer.decoder = decoders.Metaspace()
    tokens = ["<s>", "<pad>", "</s>", "<unk>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    trainer = trainers.UnigramTrainer(
        vocab_size=size, special_tokens=tokens, unk_token="<unk>", show_progress=False, n_sub_iterations=1
    )
    tokenizer.train_from_iterator(lines, trainer)
    document = json.loads(tokenizer.to_str())
    document["model"]["byte_fallback"] = True
    document["added_tokens"] = document["added_tokens"][:4]
    tokenizer = Tokenizer.from_str(json.dumps(document))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return tokenizer


def _word_level(lines: list, size: int) -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase(), normalizers.Strip()]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Whitespace(), pre_tokenizers.Digits(True), pre_tokenizers.Punctuation("merged_with_next")]
    )
    trainer = trainers.WordLevelTrainer(vocab_size=size, special_tokens=["[UNK]", "[CLS]"], show_progress=False)
    tokenizer.train_from_iterator(lines, trainer)
    tokenizer.add_tokens(["Lemma", AddedToken("<Extra>", normalized=True, single_word=True, lstrip=True)])
    return tokenizer


def _metaspace_first(lines: list, size: int) -> Tokenizer:
    """Makes a tokenizer like that of Llama 2 without its legacy mode, where only the start of a text gets a mark."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.BpeTrainer(
        vocab_size=size, special_tokens=["<unk>", "<s>", "</s>"], limit_alphabet=900, show_progress=False, max_token_length=12
    )
    tokenizer.train_from_iterator(lines, trainer)
    tokenizer.add_special_tokens([AddedToken("[MASK]", lstrip=True, rstrip=True), AddedToken("<|end|>")])
    return tokenizer


TOKENIZERS = {
    "bert_uncased": lambda lines, size: _bert(lines, size, True),
    "bert_cased": lambda lines, size: _bert(lines, size, False),
    "byte_level": _byte_level,
    "sentencepiece_bpe": _sentencepiece_bpe,
    "sentencepiece_unigram": _sentencepiece_unigram,
    "char_bpe": _char_bpe,
    "llama": _llama,
    "qwen": _qwen,
    "xlm": _xlm,
    "word_level": _word_level,
    "metaspace_first": _metaspace_first,
}


def corpus(case: dict) -> list:
    """Returns lines of text."""
    source = Corpus(case["seed"])
    return [source.line() for _ in range(case["count"])]


def train(case: dict) -> str:
    """Returns the tokenizer.json of a tokenizer that learned from a corpus."""
    source = Corpus(case["seed"], has_any_scalar=False)
    lines = [source.line() for _ in range(case["count"])]
    return TOKENIZERS[case["name"]](lines, case.get("size", 5000)).to_str()


def parity(case: dict) -> dict:
    """Trains a tokenizer, and returns it with lines that it didn't learn from and their encoding."""
    tokenizer = train(case)
    lines = corpus({"seed": case["seed"] + 1, "count": case["lines"]})
    return {"tokenizer": tokenizer, "lines": lines} | encode(case | {"tokenizer": tokenizer, "lines": lines})


def encode(case: dict) -> dict:
    """Returns the inputs of models for lines or pairs of them, and the text that the indices stand for."""
    tokenizer = Tokenizer.from_str(case["tokenizer"])
    if "truncation" in case:
        tokenizer.enable_truncation(**case["truncation"])
    if "padding" in case:
        tokenizer.enable_padding(**case["padding"])
    special = case.get("special", True)
    pairs = case.get("pairs") or [None] * len(case["lines"])
    found = [tokenizer.encode(line, pair, add_special_tokens=special) for line, pair in zip(case["lines"], pairs)]
    result = {
        "ids": [item.ids for item in found],
        "types": [item.type_ids for item in found],
        "attention": [item.attention_mask for item in found],
    }
    result = {name: [" ".join(map(str, row)) for row in rows] for name, rows in result.items()}
    result["decoded"] = [tokenizer.decode(item.ids, skip_special_tokens=special) for item in found]
    return result


def _with(**parts: dict) -> Tokenizer:
    document = json.loads(Tokenizer(models.WordLevel({"x": 0}, unk_token="x")).to_str())
    return Tokenizer.from_str(json.dumps(document | parts))


def normalize(case: dict) -> list:
    """Returns what a normalizer makes of lines."""
    normalizer = _with(normalizer=case["part"]).normalizer
    return [normalizer.normalize_str(line) for line in case["lines"]]


def split(case: dict) -> list:
    """Returns the pieces into which a pre-tokenizer splits lines."""
    tokenizer = _with(pre_tokenizer=case["part"]).pre_tokenizer
    return [[piece for piece, _ in tokenizer.pre_tokenize_str(line)] for line in case["lines"]]


def decode(case: dict) -> list:
    """Returns the texts that a decoder makes of lists of tokens."""
    decoder = _with(decoder=case["part"]).decoder
    return [decoder.decode(tokens) for tokens in case["tokens"]]


KINDS = {
    "corpus": corpus,
    "train": train,
    "parity": parity,
    "encode": encode,
    "normalize": normalize,
    "split": split,
    "decode": decode,
    "character_map": lambda case: character_map(case["rule"]),
}


def main() -> None:
    """Computes all cases from standard input."""
    json.dump([KINDS[case["kind"]](case) for case in json.load(sys.stdin)], sys.stdout)


if __name__ == "__main__":
    main()
