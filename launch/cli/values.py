"""Values of options that are more than a word or a number: what they look like, and what is wrong with others."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
NEW_FOLDER = click.Path(file_okay=False, path_type=Path)


class NewFile(click.Path):
    """A file to write. A path that ends as only a directory's can is refused: `Path` would drop that end."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Look at the text before it becomes a path."""
        if os.path.basename(str(value)) in ("", ".", ".."):  # noqa: PTH119
            self.fail(f"{str(value)!r} names a directory: name a file", param, ctx)
        return super().convert(value, param, ctx)


NEW_FILE = NewFile()
# What is no program yet, by the end of its name: what it is, and the command that makes programs of it.
MADE_BY = {".asm": ("assembly text", "emu import"), ".onnx": ("a model", "emu compile")}
FLOW, MODELS = ".mop", (".onnx", ".mlir", ".pt2")


class ImagePath(click.Path):
    """A directory with programs; what programs are made of is refused with the command that makes them."""

    def __init__(self) -> None:
        super().__init__(exists=True, file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Look at the name of a file."""
        path = Path(value)
        how = MADE_BY.get(path.suffix)
        if how and path.is_file():
            out = Path("out") / path.stem
            command = f"emu {ctx.info_name}" if ctx else "emu launch"
            self.fail(
                f"{path} is {how[0]}, no directory of programs: make one by `{how[1]} {path} -o {out}`, then"
                f" `{command} {out}`",
                param,
                ctx,
            )
        if path.suffix == FLOW and path.is_file():
            self.fail(f"{path} is a meta-operator flow: `emu check` and `emu launch` take those", param, ctx)
        return super().convert(value, param, ctx)


class NamedShape(click.ParamType):
    """`name=1,3,224,224` as (name, sizes)."""

    name = "NAME=SIZES"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, tuple[int, ...]]:
        """Split at the last `=`: tensor names may hold one."""
        name, equals, sizes = str(value).rpartition("=")
        parts = sizes.split(",") if sizes else []
        if not equals or not name or not all(part.strip().isdecimal() and int(part) > 0 for part in parts):
            self.fail(f"{value!r} is no shape: write it as in0=1,3,224,224", param, ctx)
        return name, tuple(int(part) for part in parts)


class WholeNumbers(click.ParamType):
    """`4,8,12` as whole numbers, each once, in ascending order."""

    name = "N,N,..."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """Digits and commas only; a default is no text."""
        if isinstance(value, tuple):
            return value
        parts = [part.strip() for part in str(value).split(",")]
        if not all(part.isdecimal() and len(part) < 10 and int(part) > 0 for part in parts):
            self.fail(f"{value!r} are no sizes: write them as 4,8,12", param, ctx)
        return tuple(sorted({int(part) for part in parts}))


class StatePairs(click.ParamType):
    """`input=output,...` as a dictionary, or `auto`."""

    name = "INPUT=OUTPUT,...|auto"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """Both forms."""
        return self.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, str] | str:
        """Split at commas, then at the last `=`: tensor names may hold one."""
        if value == "auto":
            return "auto"
        pairs = [part.strip().rpartition("=") for part in str(value).split(",")]
        if not all(name and output for name, _, output in pairs):
            self.fail(f"{value!r} are no pairs: write them as past=present,...; or auto", param, ctx)
        names = [name for name, _, _ in pairs]
        if repeated := next((name for name in names if names.count(name) > 1), ""):
            self.fail(f"input {repeated!r} is given more than once: an input is one state", param, ctx)
        return {name: output for name, _, output in pairs}


def joined_states(
    ctx: click.Context, param: click.Parameter, given: tuple[dict[str, str] | str, ...]
) -> dict[str, str] | str:
    """The states of all --state options; UsageError for an input in two of them, or `auto` beside others."""
    if "auto" in given and len(given) > 1:
        raise click.UsageError("--state auto finds all states: leave the others out, or auto")
    if "auto" in given:
        return "auto"
    names = [name for pairs in given for name in pairs]
    if repeated := next((name for name in names if names.count(name) > 1), ""):
        raise click.UsageError(f"--state {repeated}=... is given more than once: an input is one state")
    return {name: output for pairs in given for name, output in dict(pairs).items()}
