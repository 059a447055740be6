"""What the compiler is asked for, checked before it begins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from compiler.clock import Progress
from compiler.frontend.states import States
from compiler.schedules.options import ScheduleOptions
from compiler.session.context import CompileOptions, CompilerContext
from emu.arch import Arch
from emu.errors import InputError, option
from emu.wording import counted

Watch = Callable[[str, ModuleOp, CompilerContext], None]  # the pass, what it left, and the context of the compilation
OF_OPTIONS = frozenset(each.name for each in fields(CompileOptions))
UNTIMED_CORES = 64  # processes that a machine still starts soon


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileRequest(ScheduleOptions):
    """What to compile and how, as in `compile`: a `model` that a front end recognises, or the text `start`."""

    model: object = None
    arch: Arch
    options: CompileOptions
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])
    states: States = field(default_factory=dict[str, str])  # output by input, or "auto"
    pipeline: str | None = None  # of passes; None: the default one
    until: str | None = None  # the stage to stop after
    start: Path | None = None  # text of a stage to go on from, instead of `model`
    weights: Path | None = None  # of the text; None: the file beside it
    dump: Path | None = None  # folder for the IR after each pass
    host_fallback: bool = False  # leave nodes that are refused to the host
    progress: Progress | None = None
    watch: Watch | None = None  # sees the module after the import and after each pass

    def value(self, name: str) -> Any:
        """The value of an option, whether it is a field here or of `options`."""
        return getattr(self.options if name in OF_OPTIONS else self, name)


def checked_shapes(shapes: object) -> dict[str, tuple[int, ...]]:
    """`shapes` as a dictionary of name and sizes (None: empty); raises InputError for anything else."""
    if shapes is None:
        return {}
    if not isinstance(shapes, Mapping):
        raise InputError(f"shapes {shapes!r} must be a dictionary, such as {{'input': (1, 3, 224, 224)}}")
    for name, sizes in shapes.items():
        if not isinstance(sizes, tuple | list) or not all(isinstance(size, int) for size in sizes):
            raise InputError(f"the shape {sizes!r} of {name!r} must be a tuple of int, such as (1, 3, 224, 224)")
    return {str(name): tuple(sizes) for name, sizes in shapes.items()}


def default_cores(arch: Arch) -> int:
    """The cores that a compilation may use when nobody says how many: all of a chip with a table [timing], else 64.

    A chip whose times are known is there to be used; of one without times more cores only cost processes.
    """
    return arch.cores if arch.timing is not None else min(UNTIMED_CORES, arch.cores)


def compile_options(
    cores: object,
    packing: str,
    placement: str,
    arch: Arch,
    granularity: str = "image",
    max_length: object = None,
    segments: bool = False,
) -> CompileOptions:
    """Checked options; raises InputError for unknown names or an impossible number of cores (None: the default)."""
    if cores is None:
        cores = default_cores(arch)
    if isinstance(cores, bool) or not isinstance(cores, int):
        raise InputError(f"cores {cores!r} is no number of cores: give an int, or None for the default")
    if not 0 < cores <= arch.cores:
        raise InputError(f"{option('cores')} {cores}: {arch.title} has 1 to {counted(arch.cores, 'core')}")
    if packing not in ("dense", "kernel"):
        raise InputError(f"{option('packing')} {packing!r} is unknown: use 'dense' or 'kernel'")
    if placement not in ("frugal", "scatter", "pack"):
        raise InputError(f"{option('placement')} {placement!r} is unknown: use 'frugal', 'scatter' or 'pack'")
    kind, _, rows = granularity.partition(":")
    if granularity not in ("image", "auto") and not (kind == "rows" and rows.isdecimal() and int(rows) > 0):
        raise InputError(
            f"{option('granularity')} {granularity!r} is unknown: use 'image', 'auto', or 'rows:N' with N >= 1"
        )
    if max_length is not None and (not isinstance(max_length, int) or isinstance(max_length, bool) or max_length < 1):
        raise InputError(f"{option('max_length')} {max_length!r} is no number of tokens: give an int of 1 or more")
    return CompileOptions(cores, packing, placement, granularity, max_length, segments)
