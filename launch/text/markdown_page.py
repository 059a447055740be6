"""Tables in Markdown, and blocks between markers of a page that a command writes anew."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from emu.errors import InputError
from emu.files import read_text
from emu.output.target import find_target
from emu.output.whole_file import write_whole
from launch.text.answer import Table

MAX_PAGE = 1 << 24  # bytes


def markdown_table(table: Table) -> str:
    """A table as Markdown, without its title; bars inside of cells are escaped."""
    rule = ["--:" if side == "r" else "---" for side in table.right]
    lines = [table.columns, rule, *([str(cell).replace("|", "\\|") for cell in row] for row in table.rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def marker(name: str, tool: str = "bench") -> str:
    """The line that opens the block `name` of the command `tool`."""
    return f"<!-- emu {tool}: {name} -->"


def end_marker(tool: str = "bench") -> str:
    """The line that closes any block of the command `tool`."""
    return marker("end", tool)


def replace_block(text: str, name: str, content: str, where: str, tool: str = "bench") -> str:
    """`text` with new content between the markers of `name`; raises InputError if they are missing."""
    begin, end = marker(name, tool), end_marker(tool)
    before, opened, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not opened or not closed:
        raise InputError(f"{where} has no lines {begin} and {end}: add them where the results shall be")
    return f"{before}{opened}\n\n{content}\n\n{closed}{after}"


def check_page(path: Path, names: Iterable[str], tool: str = "bench") -> None:
    """Raise InputError unless the page has the markers of all `names`: better before a long run than after it."""
    write_blocks(path, dict.fromkeys(names, ""), tool, dry=True)


def write_blocks(path: Path, blocks: Mapping[str, str], tool: str = "bench", dry: bool = False) -> None:
    """Put the blocks into the page in one step (`dry`: only see whether that works); all other text is kept."""
    find_target(path)  # a pipe would block
    text = read_text(path, MAX_PAGE)
    for name, content in blocks.items():
        text = replace_block(text, name, content, str(path), tool)
    if not dry:
        write_whole(path, text.encode())
