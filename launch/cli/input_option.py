"""--input: all inputs in one file, or one after the other by name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click


class InputType(click.ParamType):
    """An existing file as a path, or `name=values` as (name, values)."""

    name = "FILE.npz|NAME=VALUES"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path | tuple[str, str]:
        """Split at the last `=`: tensor names may hold one."""
        path = Path(str(value))
        if os.path.lexists(path):  # whoever reads it says what is wrong with it
            return path
        name, equals, values = str(value).rpartition("=")
        if not equals or not name or not values:
            self.fail(f"{value!r} is no existing file: give FILE.npz, NAME=1,2,3 or NAME=FILE.npy", param, ctx)
        return name, values


initial_option = click.option(
    "--initial",
    type=InputType(),
    multiple=True,
    metavar="FILE.npz|NAME=VALUES",
    help="With --stateful: what states are at the first step (default: zeros), given as --input gives inputs.",
)
input_option = click.option(
    "--input",
    "input_file",
    type=InputType(),
    multiple=True,
    metavar="FILE.npz|NAME=VALUES",
    help="Inputs: an .npz with one array per input, for one or n samples; or, repeatable, one input by name: x=1,2,3,4"
    " or x=FILE.npy.",
)
