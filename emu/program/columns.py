"""A whole program as a flat set of columns, and back: what program files hold.

Lists of lists are flattened (a column of lengths, a column of members) and all texts are one column of UTF-8 bytes.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from emu.isa.dtypes import DType
from emu.program.form import Form
from emu.program.group import GroupSpec
from emu.program.program import BufferSpec, Data, Program, Source
from emu.program.section import INSTRUCTION_COLUMNS, OPERAND_COLUMNS, TERM_COLUMNS, Section

Columns = dict[str, np.ndarray]

_I4, _I8, _U1 = np.dtype("<i4"), np.dtype("<i8"), np.dtype("u1")
_BUFFER_INTEGERS = ("rank", "axes", "address", "complete")

# table -> its columns; the columns of a table have one length.
TABLES: dict[str, dict[str, np.dtype]] = {
    "group": {
        "input": _U1,
        "weight": _U1,
        "output": _U1,
        "row_tiles": _I4,
        "col_tiles": _I4,
        "offset": _I8,
        "bank": _I4,
    },
    "tile": {"size": _I4},
    "data": {"address": _I8, "length": _I8},
    "content": {"byte": _U1},
    "state": {"address": _I8, "size": _I8},
    "source": {"node": _I4, "part": _I4},
    "buffer": {"tensor": _I4, "dtype": _U1, **dict.fromkeys(_BUFFER_INTEGERS, _I8)},
    "axis": {"size": _I8, "low": _I8, "high": _I8},  # of the tensor of each buffer, in the order of memory
    "dimension": {"size": _I8, "axes": _I4},
    "text": {"byte": _U1},
    **{f"{name}.instruction": INSTRUCTION_COLUMNS for name in ("init", "main")},
    **{f"{name}.operand": OPERAND_COLUMNS for name in ("init", "main")},
    **{f"{name}.term": TERM_COLUMNS for name in ("init", "main")},
}
KEYS = {f"{table}.{name}": dtype for table, columns in TABLES.items() for name, dtype in columns.items()}


def to_columns(program: Program) -> Columns:
    """Columns of a program, in the order and with the dtypes of `KEYS`; raises ValueError for what does not fit."""
    groups, buffers, sources = program.groups, program.buffers, program.sources
    texts = [text.encode("utf-8") for source in sources for text in (source.node, source.part)]
    tensors = [buffer.tensor.encode("utf-8") for buffer in buffers]
    axes = [part.encode("utf-8") for buffer in buffers for part in buffer.form.layout]
    values: dict[str, Iterable[int] | np.ndarray] = {
        **{f"group.{name}": [getattr(group, name) for group in groups] for name in ("input", "weight", "output")},
        **{f"group.{name}": [len(getattr(group, name)) for group in groups] for name in ("row_tiles", "col_tiles")},
        **{f"group.{name}": [getattr(group, name) for group in groups] for name in ("offset", "bank")},
        "tile.size": [size for group in groups for size in (*group.row_tiles, *group.col_tiles)],
        "data.address": [data.address for data in program.data],
        "data.length": [len(data.content) for data in program.data],
        "content.byte": np.frombuffer(b"".join(data.content for data in program.data), _U1),
        "state.address": [address for address, _ in program.state],
        "state.size": [size for _, size in program.state],
        "source.node": [len(text) for text in texts[::2]],
        "source.part": [len(text) for text in texts[1::2]],
        "buffer.tensor": [len(text) for text in tensors],
        "buffer.rank": [len(buffer.form.shape) for buffer in buffers],
        "buffer.axes": [len(buffer.box) for buffer in buffers],
        **{
            f"buffer.{name}": [getattr(buffer, name) for buffer in buffers] for name in ("dtype", "address", "complete")
        },
        "axis.size": [size for buffer in buffers for size in buffer.form.sizes],
        "axis.low": [low for buffer in buffers for low, _ in buffer.box],
        "axis.high": [high for buffer in buffers for _, high in buffer.box],
        "dimension.size": [size for buffer in buffers for size in buffer.form.shape],
        "dimension.axes": [len(part) for part in axes],
        "text.byte": np.frombuffer(b"".join([*texts, *tensors, *axes]), _U1),
    }
    for name, section in (("init", program.init), ("main", program.main)):
        for table in ("instruction", "operand", "term"):
            values.update({f"{name}.{table}.{key}": section.columns[key] for key in TABLES[f"{name}.{table}"]})
    return {key: _fit(key, values[key], dtype) for key, dtype in KEYS.items()}


def _fit(key: str, values: Iterable[int] | np.ndarray, dtype: np.dtype) -> np.ndarray:
    if isinstance(values, np.ndarray):
        return values.astype(dtype, casting="equiv", copy=False)
    wide = list(values)
    limits = np.iinfo(dtype)
    if wide and not (limits.min <= min(wide) and max(wide) <= limits.max):
        raise ValueError(f"{key} does not fit in {dtype}")
    return np.array(wide, dtype)


def from_columns(core: int, columns: Columns) -> Program:
    """The program of such columns; raises ValueError naming the column that is wrong."""
    for table, members in TABLES.items():
        if len({len(columns[f"{table}.{name}"]) for name in members}) > 1:
            raise ValueError(f"the columns of table {table} differ in length")
    source_texts = np.stack((columns["source.node"], columns["source.part"]), axis=1).ravel()
    lengths = np.concatenate((source_texts, columns["buffer.tensor"], columns["dimension.axes"]))
    texts = _texts(columns, lengths)
    names = len(source_texts)
    axes = names + len(columns["buffer.tensor"])
    return Program(
        core,
        _groups(columns),
        _data(columns),
        tuple(zip(columns["state.address"].tolist(), columns["state.size"].tolist(), strict=True)),
        _section("init", columns),
        _section("main", columns),
        tuple(Source(node, part) for node, part in zip(texts[:names:2], texts[1:names:2], strict=True)),
        _buffers(columns, texts[names:axes], _layouts(columns, texts[axes:])),
    )


def _successive(key: str, total: int, lengths: np.ndarray) -> list[tuple[int, int]]:
    """Begin and end of successive parts of the given lengths, which must make up `total` exactly."""
    wide = lengths.astype(np.int64)
    if (wide < 0).any() or (wide > total).any() or wide.sum() != total:
        raise ValueError(f"the lengths of the parts of {key} do not add up to it")
    ends = np.cumsum(wide)
    return list(zip((ends - wide).tolist(), ends.tolist(), strict=True))


def _texts(columns: Columns, lengths: np.ndarray) -> list[str]:
    whole = columns["text.byte"].tobytes()
    return [whole[begin:end].decode("utf-8") for begin, end in _successive("text.byte", len(whole), lengths)]


def _dtypes(column: np.ndarray) -> list[DType]:
    return [DType(code) for code in column.tolist()]


def _groups(columns: Columns) -> tuple[GroupSpec, ...]:
    sizes = columns["tile.size"].tolist()
    lengths = np.stack((columns["group.row_tiles"], columns["group.col_tiles"]), axis=1).ravel()
    tiles = [tuple(sizes[begin:end]) for begin, end in _successive("tile.size", len(sizes), lengths)]
    kinds = (_dtypes(columns[f"group.{name}"]) for name in ("input", "weight", "output"))
    places = (columns[f"group.{name}"].tolist() for name in ("offset", "bank"))
    rows = zip(*kinds, tiles[::2], tiles[1::2], *places, strict=True)
    return tuple(GroupSpec(*row) for row in rows)


def _data(columns: Columns) -> tuple[Data, ...]:
    whole = columns["content.byte"].tobytes()
    cuts = _successive("content.byte", len(whole), columns["data.length"])
    starts = columns["data.address"].tolist()
    return tuple(Data(address, whole[begin:end]) for address, (begin, end) in zip(starts, cuts, strict=True))


def _layouts(columns: Columns, axes: list[str]) -> list[tuple[tuple[int, ...], tuple[str, ...]]]:
    """Shape and layout of the tensor of each buffer."""
    sizes = columns["dimension.size"].tolist()
    cuts = _successive("dimension.size", len(sizes), columns["buffer.rank"])
    return [(tuple(sizes[begin:end]), tuple(axes[begin:end])) for begin, end in cuts]


def _buffers(
    columns: Columns, tensors: list[str], layouts: list[tuple[tuple[int, ...], tuple[str, ...]]]
) -> tuple[BufferSpec, ...]:
    rows = zip(*(columns[f"buffer.{name}"].tolist() for name in _BUFFER_INTEGERS), strict=True)
    dtypes = _dtypes(columns["buffer.dtype"])
    sizes = columns["axis.size"].tolist()
    ranges = list(zip(columns["axis.low"].tolist(), columns["axis.high"].tolist(), strict=True))
    cuts = _successive("axis.size", len(sizes), columns["buffer.axes"])
    return tuple(
        BufferSpec(
            tensor,
            Form(shape, (*sizes[end - 1 : end], *sizes[begin : end - 1]), layout),
            tuple(ranges[begin:end]),
            dtype,
            address,
            complete,
        )
        for tensor, dtype, (shape, layout), (begin, end), (_, _, address, complete) in zip(
            tensors, dtypes, layouts, cuts, rows, strict=True
        )
    )


def _section(name: str, columns: Columns) -> Section:
    tables = [f"{name}.{kind}" for kind in ("instruction", "operand", "term")]
    return Section({key: columns[f"{table}.{key}"] for table in tables for key in TABLES[table]})
