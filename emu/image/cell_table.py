"""What the manifest says of the cells of all array groups: the table `crossbars`, a short text per group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from emu.errors import ProgramError
from emu.image.cells import Cells, numbers_from_text, numbers_text
from emu.image.json_fields import Field
from emu.program.group import GroupSpec

CROSSBARS = "crossbars"  # the key; images that an assembler made have none
_SIZE = 1 << 48
_FORMS = (1, 4, 6)  # words of a text


@dataclass(frozen=True, slots=True)
class CellTable:
    """Nodes and tensors (name, shape) by number; per core a text per group: `node [tensor rows columns [blocks n]]`.

    Rows and columns are written as `numbers_text` does. The texts are read when somebody asks for them: `cells_of`.
    """

    nodes: tuple[str, ...]
    tensors: tuple[tuple[str, tuple[int, ...]], ...]
    cores: Mapping[int, tuple[str, ...]]


def cell_table(cores: Mapping[int, Sequence[Cells]]) -> CellTable:
    """The table of the groups of every core, in their order."""
    nodes = dict[str, int]()
    tensors = dict[tuple[str, tuple[int, ...]], int]()

    def text(cells: Cells) -> str:
        words: list[object] = [nodes.setdefault(cells.node, len(nodes))]
        if cells.rows is not None and cells.columns is not None:
            words.append(tensors.setdefault((cells.tensor, cells.shape), len(tensors)))
            words += [numbers_text(cells.rows), numbers_text(cells.columns)]
            words += [cells.blocks, cells.channels] if cells.blocks > 1 else []
        return " ".join(map(str, words))

    texts = {core: tuple(map(text, groups)) for core, groups in cores.items() if groups}
    return CellTable(tuple(nodes), tuple(tensors), texts)


def cells_of(table: CellTable, core: int, groups: Sequence[GroupSpec], where: str) -> list[Cells]:
    """The cells of the groups of a core; raises ProgramError, which names `where`, if the table does not fit them."""
    texts = table.cores.get(core, ())
    if len(texts) != len(groups):
        raise ProgramError(f"{where}: {CROSSBARS}: lists {len(texts)} groups of core {core}, which has {len(groups)}")
    found: list[Cells] = []
    for index, (text, group) in enumerate(zip(texts, groups, strict=True)):
        place = f"{where}: {CROSSBARS}: core {core}, group {index}"
        cells = _parsed(table, text, place)
        if fault := cells.fault(group.rows, group.cols):
            raise ProgramError(f"{place}: {fault}")
        found.append(cells)
    return found


def _parsed(table: CellTable, text: str, place: str) -> Cells:
    words = text.split(" ")
    try:
        if len(words) not in _FORMS:
            raise ValueError("it must have 1, 4 or 6 words")
        node = table.nodes[_index(words[0], len(table.nodes))]
        if len(words) == 1:
            return Cells(node)
        tensor, shape = table.tensors[_index(words[1], len(table.tensors))]
        rows, columns = map(numbers_from_text, words[2:4])
        blocks, channels = (_index(word, 1 << 24) for word in words[4:]) if words[4:] else (1, 1)
        if not (blocks and channels):
            raise ValueError("it has no blocks")
    except ValueError as error:
        raise ProgramError(f"{place}: {text[:60]!r} does not say what it holds: {error}") from None
    return Cells(node, tensor, shape, rows, columns, blocks, channels)


def _index(word: str, end: int) -> int:
    if not (word.isascii() and word.isdecimal() and int(word[:9]) < end and len(word) < 9):
        raise ValueError(f"{word[:20]!r} is no number below {end}")
    return int(word)


# JSON ---------------------------------------------------------------------------------------------------------------


def cell_record(table: CellTable) -> dict[str, Any]:
    """The value of the key."""
    return {
        "nodes": list(table.nodes),
        "tensors": [{"tensor": name, "shape": list(shape)} for name, shape in table.tensors],
        "cores": [{"core": core, "groups": list(texts)} for core, texts in table.cores.items()],
    }


def cells_from_json(field: Field, cores: int) -> CellTable:
    """The table that `cell_record` made, of a chip with so many cores; raises ProgramError."""
    fields = field.object(("nodes", "tensors", "cores"))
    tensors: list[tuple[str, tuple[int, ...]]] = []
    for item in fields["tensors"].items():
        parts = item.object(("tensor", "shape"))
        shape = tuple(size.integer(0, _SIZE) for size in parts["shape"].items())
        tensors.append((parts["tensor"].text(), shape))
    texts = dict[int, tuple[str, ...]]()
    for item in fields["cores"].items():
        parts = item.object(("core", "groups"))
        core = parts["core"].integer(0, cores - 1)
        if core in texts:
            parts["core"].refuse(f"core {core} occurs twice")
        texts[core] = tuple(text.text(empty=False) for text in parts["groups"].items())
    return CellTable(tuple(node.text() for node in fields["nodes"].items()), tuple(tensors), texts)
