"""The sections of docs/errors.md, each a cause with its cure, and whose errors each is about (error_causes.toml)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "errors.md"
MODULES: Mapping[str, Sequence[str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_SECTION = re.compile(r"^### (?P<title>.+)\n(?P<text>(?:(?!^##).*\n)*)", re.MULTILINE)
_QUOTE = re.compile(r"^> `(?P<said>.+)`$", re.MULTILINE)
_CURE = re.compile(r"\*\*Cure:\*\*\s+\S")
_CODES = re.compile(r"[Ee]xit\s+codes?\s+(\d[\d,\s]*)\.$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Cause:
    """A section of the page: sentences that it quotes (`...` where a value stands), if it has a cure, its codes."""

    title: str
    said: Sequence[str]
    cured: bool
    codes: frozenset[int]


def causes(text: str) -> Mapping[str, Cause]:
    """The causes of a page, by title."""
    found = {}
    for section in _SECTION.finditer(text):
        codes = frozenset(int(code) for ends in _CODES.findall(section["text"]) for code in re.findall(r"\d+", ends))
        cured = _CURE.search(section["text"]) is not None
        found[section["title"]] = Cause(section["title"], _QUOTE.findall(section["text"]), cured, codes)
    return found


def cause_of(module: str) -> str:
    """The title of the section on errors of a module: the one that names most of it; raises KeyError if none does."""
    found = [
        (len(prefix), title)
        for title, prefixes in MODULES.items()
        for prefix in prefixes
        if module == prefix or module.startswith((f"{prefix}.", f"{prefix}_"))
    ]
    if not found:
        raise KeyError(f"say in error_causes.toml what the errors of {module} come from, and in errors.md what to do")
    return max(found)[1]


def quotes(said: str, sentence: str) -> bool:
    """Whether the page quotes, with `...` for values, words of a sentence with `{...}` for values, in their order."""
    parts = [re.escape(part.strip()) for part in said.split("...") if part.strip()]
    return bool(parts) and re.search(".*".join(parts), re.sub(r"\{[^{}]*\}", "\0", sentence)) is not None
