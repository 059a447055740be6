"""The index of errors in docs/errors.md: all sentences of the sources, below cause and cure of their group."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from error_causes import GROUPS, Group, group_of
from error_sentences import sentences

ROOT = Path(__file__).parents[2]


def error_index() -> str:
    """A section per group, its sentences in alphabetical order, each once."""
    found = defaultdict[str, set[str]](set)
    for sentence in sentences(ROOT):
        found[group_of(sentence.module).title].add(sentence.text)
    for group in GROUPS:
        found[group.title].update(group.also)
    total = sum(map(len, found.values()))
    return "\n\n".join([f"{total} sentences in {len(GROUPS)} groups.", *(_section(group, found) for group in GROUPS)])


def _section(group: Group, found: dict[str, set[str]]) -> str:
    title, cause, cure, code = group.title, group.cause, group.cure, group.code
    lines = [f"- {_code(text)}" for text in sorted(found[title], key=_order)]
    return f"### {title}\n\n{cause}\n\n*Cure:* {cure}\n\nExit code {code}.\n\n" + "\n".join(lines)


def _order(text: str) -> tuple[str, str]:
    """By the first letters that are not of a value."""
    return re.sub(r"\{[^{}]*\}|[^A-Za-z]", "", text).lower(), text


def _code(text: str) -> str:
    """A sentence as code, whatever it quotes."""
    marks = "``" if "`" in text else "`"
    return f"{marks} {text} {marks}" if "`" in text else f"{marks}{text}{marks}"
