"""Text from anywhere, fit for a line of a terminal, a table or an XML file."""

from __future__ import annotations

import re

# What XML 1.0 allows, without carriage returns, which its readers change.
_NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def visible(text: str) -> str:
    """The text in one line, all that is not printable as Python writes it: `\\n`, `\\x1b`."""
    return "".join(letter if letter.isprintable() else _escaped(letter) for letter in text)


def for_xml(text: str) -> str:
    """The text with what XML cannot hold as Python writes it; its lines and tabs stay."""
    return _NOT_XML.sub(lambda match: _escaped(match[0]), text)


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
