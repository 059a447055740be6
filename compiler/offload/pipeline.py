"""The passes by name, the recipes, and the levels at which text can be looked at."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import parse_spec
from xdsl.utils.exceptions import ArgSpecParseError

from compiler.basis.entries import entries_of, name_of
from compiler.dialects.origins import FAULTS, reason_of, refuse
from compiler.offload.calls import check_calls
from compiler.offload.cim_to_memristor import CimToMemristorPass
from compiler.offload.cinm_tile import CinmTilePass
from compiler.offload.cinm_to_cim import CinmToCimPass
from compiler.offload.context import OffloadContext
from compiler.offload.detect_contractions import DetectContractionsPass
from compiler.offload.im2col import Im2colPass
from compiler.offload.interchange import InterchangePass
from compiler.offload.linalg_generalize import LinalgGeneralizePass
from compiler.offload.linalg_to_cim import LinalgToCimPass
from compiler.offload.linalg_to_cinm import LinalgToCinmPass
from compiler.offload.memristor_to_calls import MemristorToCallsPass
from compiler.offload.neuro_to_calls import NeuroToCallsPass
from compiler.offload.script_files import read_script
from compiler.offload.tile import TilePass
from compiler.offload.transform_interpreter import TransformInterpreterPass
from compiler.offload.ttgt import TtgtPass
from compiler.offload.unbatch import UnbatchPass
from compiler.offload.unroll import UnrollPass
from compiler.offload.unwritten import check_written
from emu.errors import CompileError, InputError, option
from emu.wording import nearest

_FLAG = re.compile(r'"[^"]*"|(?<=[{ ])[a-z-]+(?=[ }])')  # text in quotes, or an option that is on where it stands
_PATH = re.compile(r"(?<==)[A-Za-z_][\w.]*:[\w.]+")  # an import path
PASSES: Mapping[str, type[ModulePass]] = {
    kind.name: kind
    for kind in (
        LinalgGeneralizePass,
        UnbatchPass,
        DetectContractionsPass,
        Im2colPass,
        TtgtPass,
        TilePass,
        InterchangePass,
        UnrollPass,
        LinalgToCimPass,
        LinalgToCinmPass,
        CinmTilePass,
        CinmToCimPass,
        TransformInterpreterPass,
        CimToMemristorPass,
        MemristorToCallsPass,
        NeuroToCallsPass,
    )
}
_MATRICES = ("im2col", "ttgt")
_FOUND = ("linalg-generalize", "unbatch", "detect-contractions", *_MATRICES)
_LAST = ("memristor-to-calls", "neuro-to-calls")
TO_CALLS = ("cim-to-memristor", *_LAST)
RECIPES: Mapping[str, tuple[str, ...]] = {
    # OCC refuses batches, and has no kernel with products of two vectors: both stay on the host.
    "occ": (
        *("linalg-generalize", "detect-contractions", *_MATRICES),
        *("tile", "interchange{min-writes}", "unroll", "linalg-to-cim", *TO_CALLS),
    ),
    "cinnamon": (
        *("linalg-generalize", "unbatch", "detect-contractions{dots}", *_MATRICES),
        *("linalg-to-cinm", "cinm-tile", "cinm-to-cim", *TO_CALLS),
    ),
    "neuroboard": ("linalg-generalize", "detect-contractions", *_MATRICES, "transform-interpreter", *TO_CALLS),
}
_CALLING = ("linalg-to-cim", "cinm-to-cim")  # what makes calls of the device
# What may have run by then, of any pipeline.
LEVELS: Mapping[str, tuple[str, ...]] = {
    "linalg": (),
    "contractions": ("linalg-generalize", "unbatch", "detect-contractions"),
    "products": _FOUND,
    "tiles": (*_FOUND, "tile", "interchange", "unroll"),
    "cinm": (*_FOUND, "linalg-to-cinm", "cinm-tile"),
    "neuro": (*_FOUND, "transform-interpreter"),
    "cim": tuple(name for name in PASSES if name not in TO_CALLS),
    "memristor": tuple(name for name in PASSES if name not in _LAST),
    "calls": tuple(PASSES),
}
DEEPEST = "calls"


def parse_passes(text: str) -> tuple[str, ...]:
    """The entries of `a,b{option=1}`; raises InputError for one that is no pass."""
    entries = entries_of(text)
    for entry in entries:
        make(entry)
    return entries


@lru_cache(256)
def make(entry: str) -> ModulePass:
    """The pass of an entry, which has options and no state; raises InputError."""
    name = name_of(entry)
    kind = PASSES.get(name)
    if kind is None:
        raise InputError(f"passes: there is no pass {name!r}{nearest(name, PASSES) or ': use ' + ', '.join(PASSES)}")
    try:
        options = _FLAG.sub(lambda found: found[0] + ("" if found[0].startswith('"') else "=true"), entry[len(name) :])
        options = _PATH.sub(r'"\g<0>"', options)
        return kind.from_spec(replace(parse_spec(f"pass{options}"), name=name))
    except (Exception, ArgSpecParseError) as error:  # xDSL's is none
        raise InputError(f"passes: {entry!r} cannot be made a pass: {' '.join(str(error).split())[:200]}") from None


def entries_until(level: str, entries: Sequence[str]) -> tuple[str, ...]:
    """Those entries that belong to a level."""
    return tuple(entry for entry in entries if name_of(entry) in LEVELS[level])


def run_passes(entries: Sequence[str], context: OffloadContext, module: ModuleOp, level: str) -> None:
    """Run those entries that belong to a level, in place; raises CompileError.

    Calls of a device are checked where there are some: those of the text before all, those of a pass behind it.
    """
    context.make_pass = make
    check_calls(module, context, products=False)
    for entry in entries_until(level, entries):
        try:
            make(entry).apply(context, module)
        except FAULTS as error:  # of text that was edited
            raise CompileError(f"the pass {name_of(entry)} does not fit this text: {reason_of(error)}") from None
        if name_of(entry) in _CALLING:
            check_calls(module, context, products=False)
    for op in module.walk():
        try:
            op.verify(verify_nested_ops=False)
        except FAULTS as error:
            raise refuse(op, f"does not fit: {reason_of(error)}") from None
    if _CALLING[-1] in LEVELS[level]:  # it is executed as it stands
        check_calls(module, context, products=True)
        check_written(module)


def with_script(entries: Sequence[str], file: Path | None) -> tuple[str, ...]:
    """The passes from the one on that carries out a script, that of a file or of the module; without it all of them.

    What is before it prepares for the script of the product. Raises InputError if a script is given for nothing.
    """
    names = [name_of(entry) for entry in entries]
    if TransformInterpreterPass.name not in names:
        if file is None:
            return tuple(entries)
        raise InputError(f"{option('script')} {file} is carried out by none of the passes: use the recipe neuroboard")
    at = names.index(TransformInterpreterPass.name)
    if file is None:
        return tuple(entries[at:])
    return (f'{TransformInterpreterPass.name}{{script="{file}"}}', *entries[at + 1 :])


def check_scripts(entries: Sequence[str], context: OffloadContext) -> None:
    """Raise InputError for a file that holds no script that is understood."""
    for found in map(make, entries):
        if isinstance(found, TransformInterpreterPass) and found.script:
            read_script(Path(found.script), context)
