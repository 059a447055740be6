"""The options of a compilation: a new one is a field here, and what reads it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal, cast

from compiler.basis.chips import AUTO_CHIPS, most_chips
from emu.errors import InputError, option
from emu.options import UNSET, Flag, Form, Kind, Whole, Word, WordOrNumbers, checked, default_of, group, opt, specs
from emu.wording import counted

if TYPE_CHECKING:
    from emu.arch import Arch

AUTO = "auto"
TRAFFIC, CUT = "traffic", "cut"  # how cores may be arranged, beside their numbers
UNTIMED_CORES = 64  # processes that a machine still starts soon
States = Mapping[str, str] | str  # output by input, or `AUTO`
Shapes = Mapping[str, tuple[int, ...]]


class ShapesKind(Kind):
    """Sizes by name of an input."""

    def checked(self, name: str, value: Any) -> Shapes:
        """A dictionary; raises InputError for anything else."""
        pairs = dict(value) if isinstance(value, tuple) else value or {}
        if not isinstance(pairs, Mapping):
            raise InputError(f"shapes {value!r} must be a dictionary, such as {{'input': (1, 3, 224, 224)}}")
        if isinstance(value, tuple) and len(value) != len(pairs):
            names = [key for key, _ in value]
            repeated = next(key for key in names if names.count(key) > 1)
            raise InputError(f"{option('shapes')} {repeated}=... is given more than once: an input has one shape")
        for key, sizes in pairs.items():
            if not isinstance(sizes, tuple | list) or not all(isinstance(size, int) for size in sizes):
                raise InputError(f"the shape {sizes!r} of {key!r} must be a tuple of int, such as (1, 3, 224, 224)")
        return {str(key): tuple(sizes) for key, sizes in pairs.items()}

    def listed(self, name: str, value: Any) -> dict[str, str]:
        """An entry for each."""
        return {f"shape {key}": ",".join(map(str, sizes)) for key, sizes in sorted(dict(value).items())}

    def found(self, name: str, listed: Mapping[str, str]) -> Any:
        """All of them."""
        texts = {key.removeprefix("shape "): text for key, text in listed.items() if key.startswith("shape ")}
        return {key: tuple(int(size) for size in text.split(",") if size) for key, text in texts.items()} or UNSET


class StatesKind(Kind):
    """Outputs by name of the input that reads them in the next step."""

    def checked(self, name: str, value: Any) -> States:
        """A dictionary, or `AUTO`; raises InputError for anything else."""
        if value is None or value == AUTO:
            return value or {}
        known = cast("Mapping[object, object]", value) if isinstance(value, Mapping) else {None: None}
        if not all(isinstance(part, str) for pair in known.items() for part in pair):
            raise InputError(
                f"states {value!r} must be a dictionary of input and output, such as {{'past': 'present'}}"
            )
        return cast("States", value)

    def listed(self, name: str, value: Any) -> dict[str, str]:
        """An entry for each."""
        return {f"state {key}": output for key, output in value.items()}

    def found(self, name: str, listed: Mapping[str, str]) -> Any:
        """All of them."""
        return {k.removeprefix("state "): text for k, text in listed.items() if k.startswith("state ")} or UNSET


@dataclass(frozen=True, kw_only=True)
class CompileOptions:
    """How to compile a network for a chip; the help of each field says what it does.

    `cores` None are all cores of a chip with a table [timing], or of several chips, and at most 64 of one without.
    `chips` is how many there are, as text, or "auto"; None: as the description says. `shapes` fixes dynamic inputs,
    such as {"data": (1, 3, 224, 224)}; `states` are inputs that a chip may keep between steps, such as
    {"past": "present"}, or "auto" by usual names. `duplicate` is what copies of weights are for, or how many of each
    layer there are, as in "8,2,1"; `arrange` is a row of `WAYS`, or the numbers of the cores.
    """

    cores: int | None = opt(
        None,
        Whole(what="number of cores"),
        "Cores that may be used (default: all of a chip with a table [timing], or of several, at most 64 of one"
        " without).",
        listed="always",
    )
    chips: str | None = opt(
        None,
        Form("auto|N", r"auto|0*[1-9]\d{0,5}", "'auto', or how many there are, 1 or more"),
        "Chips of the kind that the architecture describes, instead of as many as it says; auto: as few as the network"
        " needs.",
    )
    packing: Literal["dense", "kernel"] = opt(
        "dense",
        Word(table="compiler.mapping.tiling.matrix:Packing"),
        "Fill crossbars with all kernel positions of a convolution, or give each position its own.",
        listed="always",
    )
    placement: Literal["frugal", "scatter", "pack"] = opt(
        "frugal",
        Word(table="compiler.mapping.tiling.partition:STRATEGIES"),
        "Use cores where they help, frugal with what they send, depthwise convolutions with their neighbours;"
        " scatter every layer by itself over all cores; or pack onto as few cores as possible.",
        listed="always",
    )
    granularity: str = opt(
        "image",
        Form("image|rows:N|auto", r"image|auto|rows:0*[1-9]\d*", "'image', 'auto', or 'rows:N' with N >= 1"),
        "Pass whole images from core to core, or N rows at a time; auto: whatever fits in local memory.",
        listed="always",
    )
    shapes: Shapes = opt(
        dict,
        ShapesKind("NAME=SIZES"),
        "Fix the shape of an input, such as in0=1,3,224,224 (repeatable).",
        flag="--shape",
    )
    segments: bool = opt(
        False,
        Flag(),
        "Let a network be larger than the cores: the weights of each part are written when its turn comes.",
    )
    products: Literal["constant", "all"] = opt(
        "constant",
        Word(table="compiler.transforms.write_products:PRODUCTS"),
        "Which products crossbars take: those with constant weights, or also those of two results, one of which is"
        " written to crossbars that are free on its core while the program runs.",
        group="schedule",
    )
    lowering: str = opt(
        "channel",
        Word(table="compiler.passes:SCHEMES"),
        "Of convolutions and other products: all pixels of a channel tile in one operation, or each pixel by"
        " itself, the older scheme, to compare with.",
        group="schedule",
    )
    duplicate: str | None = opt(
        None,
        WordOrNumbers(table="compiler.mapping.schedules.duplication:CHOICES"),
        "Copy the weights of layers to the cores that are left, each copy for a band of rows: for the least"
        " latency of one image, the most images per second, greedily, to compare with, or as many for each layer that"
        " multiplies.",
        group="schedule",
    )
    pipelined: bool = opt(
        False,
        Flag(),
        "Let layers overlap within one image: each passes on some of its rows at a time.",
        group="schedule",
    )
    stagger: bool = opt(
        False,
        Flag(),
        "Multiply each row tile of a product as soon as its slice of the input is there, so that fewer crossbars"
        " work at a time: less peak power.",
        group="schedule",
    )
    remap_rows: bool = opt(
        False,
        Flag(),
        "Where a chip drives fewer rows of a crossbar at a time than there are: spread rows over crossbars that"
        " are free, so that a product takes fewer steps.",
        group="schedule",
    )
    arrange: str | None = opt(
        None,
        WordOrNumbers(table="compiler.transforms.arrange:WAYS"),
        "Number the cores so that those that send much to each other stand close on the mesh; or, before that, on the"
        " same of several chips, so that little crosses their links (cut); or as given, a number for each in use.",
        group="schedule",
    )
    states: States = opt(
        dict,
        StatesKind("INPUT=OUTPUT,...|auto"),
        "Inputs that a chip may keep between steps (emu launch --stateful), each with the output that it takes its"
        " next value from; auto: by usual names, past...=present... (repeatable).",
        flag="--state",
    )
    max_length: int | None = opt(
        None,
        Whole(what="number of tokens"),
        "Give key-value caches that grow with every step (by Concat or Attention) room for N tokens; they, and a"
        " position, become states.",
    )
    host_fallback: bool = opt(
        False,
        Flag(),
        "Leave ONNX nodes that the compiler refuses to processes with onnxruntime.",
        listed="never",
    )


NAMES = tuple(specs(CompileOptions))
OF_ONE_CHIP = ("states", "max_length")  # no network with host nodes has them, which runs on several
SCHEDULE = group(CompileOptions, "schedule")  # what makes programs go by the figures of a chip


def default_cores(arch: Arch) -> int:
    """The cores that a compilation may use when nobody says how many: all of a chip with a table [timing], else 64.

    A chip whose times are known is there to be used, and so are several; of one without times more cores only cost
    processes.
    """
    all_used = arch.timing is not None or arch.system.chips > 1
    return arch.all_cores if all_used else min(UNTIMED_CORES, arch.all_cores)


def checked_for(arch: Arch, options: CompileOptions) -> CompileOptions:
    """The options as the compiler takes them, with the cores of the chips `arch`; raises InputError.

    Where the network says how many chips there are (`AUTO_CHIPS`), it says how many cores, too, unless somebody does.
    """
    found = replace(options, **checked(options))
    several = found.chips == AUTO_CHIPS
    cores = default_cores(arch) if found.cores is None and not several else found.cores
    most = arch.cores * most_chips(arch) if several else arch.all_cores
    if cores is not None and cores > most:
        raise InputError(f"{option('cores')} {cores}: {arch.title} has 1 to {counted(most, 'core')}")
    return replace(found, cores=cores)


_OF_OPTION = "option"


def of_option(name: str) -> Any:
    """A field of a pass that is the option `name` of the compilation, unless the pipeline says otherwise."""
    return field(default=default_of(CompileOptions, name), metadata={_OF_OPTION: name})


def with_options(made: Any, said: Collection[str], options: CompileOptions | None) -> Any:
    """A pass whose fields of options, but those `said` in its pipeline, are those of `options`; raises InputError."""
    known = {each.name: each.metadata[_OF_OPTION] for each in fields(made) if _OF_OPTION in each.metadata}
    for name in known.keys() & set(said):
        specs(CompileOptions)[known[name]].kind.checked(known[name], getattr(made, name))
    if options is None:
        return made
    return replace(made, **{name: getattr(options, of) for name, of in known.items() if name not in said})
