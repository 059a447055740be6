"""What the compiler is asked for, checked before it begins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from compiler.basis.chips import AUTO_CHIPS, with_chips
from compiler.basis.options import NAMES, CompileOptions, checked_for, default_cores
from compiler.clock import Progress
from compiler.session.context import CompilerContext
from emu.arch import Arch
from emu.arch.read import load_arch
from emu.options import specs

Watch = Callable[[str, ModuleOp, CompilerContext], None]  # the pass, what it left, and the context of the compilation


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileRequest:
    """What to compile and how, as in `compile`: a `model` that a front end recognises, or the text `start`."""

    model: object = None
    arch: Arch
    options: CompileOptions = field(default_factory=CompileOptions)
    pipeline: str | None = None  # of passes; None: the default one
    until: str | None = None  # the stage to stop after
    start: Path | None = None  # text of a stage to go on from, instead of `model`
    weights: Path | None = None  # of the text; None: the file beside it
    dump: Path | None = None  # folder for the IR after each pass
    progress: Progress | None = None
    watch: Watch | None = None  # sees the module after the import and after each pass

    @property
    def cores(self) -> int:
        """The cores that may be used."""
        return self.options.cores or default_cores(self.arch)


def make_request(model: object = None, arch: str | Arch = "default", **named: Any) -> CompileRequest:
    """The request for `model`, a path or what a front end takes, on `arch`, a preset, a file or an `Arch`.

    `named` are the fields of `CompileOptions`, which are checked, and those of `CompileRequest`. Where they say how
    many chips there are, the description of the request has so many. Raises InputError, ArchError.
    """
    description = arch if isinstance(arch, Arch) else load_arch(arch)
    options = CompileOptions(**{name: named.pop(name) for name in NAMES if name in named})
    chips = specs(CompileOptions)["chips"].kind.checked("chips", options.chips) if options.chips is not None else None
    if chips not in (None, AUTO_CHIPS):
        description = with_chips(description, int(chips))
    source = Path(model) if isinstance(model, str) else model
    return CompileRequest(model=source, arch=description, options=checked_for(description, options), **named)
