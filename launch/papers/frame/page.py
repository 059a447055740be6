"""Pages whose tables are made by commands: each stands below a line that names its command, and is made anew by it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from emu.errors import InputError
from emu.files import read_text
from launch.text.markdown_page import MAX_PAGE, end_marker, marker

TOOL = "paper"
_BLOCK = re.compile(
    rf"^<!-- emu {TOOL}: (?P<words>(?!end -->)[^\n]*?) -->\n(?P<text>.*?){end_marker(TOOL)}", re.M | re.S
)


def blocks_of(text: str) -> dict[str, str]:
    """What stands in a page below the line of each command."""
    return {block["words"]: block["text"].strip() for block in _BLOCK.finditer(text)}


def commands_of(page: Path) -> dict[str, list[str]]:
    """The arguments of `emu paper` in a page, as they stand there and in words; raises InputError if it has none."""
    found: dict[str, list[str]] = {}
    for command in blocks_of(read_text(page, MAX_PAGE)):
        try:
            found[command] = shlex.split(command)
        except ValueError as error:
            raise InputError(f"{page}: {marker(command, TOOL)} is no command ({error})") from None
    if not found:
        raise InputError(
            f"{page} has no lines {marker('PAPER/FIGURE', TOOL)} and {end_marker(TOOL)}: add them where tables shall be"
        )
    return found
