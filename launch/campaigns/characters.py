"""Text made valid for an XML file."""

from __future__ import annotations

import re

from emu.wording import escaped

# What XML 1.0 allows, without carriage returns, which its readers change.
_NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def for_xml(text: str) -> str:
    """The text with what XML cannot hold as Python writes it; its lines and tabs stay."""
    return _NOT_XML.sub(lambda match: escaped(match[0]), text)
