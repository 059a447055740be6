"""Networks in the place of their programs: compiled for the command at work, or found in a cache of images."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from compiler.basis.options import CompileOptions
from emu.options import specs
from launch.cli.answering import json_wanted
from launch.cli.completion import presets
from launch.cli.flows import is_flow
from launch.cli.given import refuse_given
from launch.cli.option_fields import options_of
from launch.cli.options import apply, print_to_stderr
from launch.cli.text_lines import named_as
from launch.cli.values import MODELS, NEW_FOLDER
from launch.text.answer import Answer

NAMES = tuple(name for name in specs(CompileOptions) if name != "host_fallback")
CHIP = "Of a network: the chip that it is compiled for, a preset's name or a TOML file (default: default)."
_cache = click.option(
    "--cache",
    type=NEW_FOLDER,
    envvar="EMU_CACHE",
    show_envvar=True,
    help="Of a network: keep its image in this directory, as validate does, and find it there again.",
)


def of_models(
    subject: str, own_arch: bool = False, flows: bool = False, golden: bool = False
) -> Callable[[Callable[..., Answer]], Any]:
    """A command whose parameter `subject`, one path or several, may name networks: it is called with their images.

    It gets the options by which `emu compile` maps a network, and --arch, unless it has its `own_arch`, which is of
    programs, too. With `flows` it is called with meta-operator flows and their --arch as well. With `golden`, the
    images hold golden values.
    """

    def wrap(command: Callable[..., Answer]) -> Any:
        @functools.wraps(command)
        def looking(*args: Any, **given: Any) -> Answer:
            compiling, cache = {name: given.pop(name) for name in NAMES}, given.pop("cache")
            if flows and is_flow(given[subject]):
                return command(*args, **given)
            arch = given["arch"] if own_arch else given.pop("arch")
            several = isinstance(given[subject], tuple)
            paths = given[subject] if several else (given[subject],)
            if any(map(is_model, paths)):
                chosen = {name: value for name, value in compiling.items() if value not in (None, (), False, {}, "")}
                golden_too = golden or cache is not None  # an entry of a cache is that of validate
                images = tuple(
                    _image(path, arch, cache, golden_too, chosen) if is_model(path) else path for path in paths
                )
                given[subject] = images if several else images[0]
                if own_arch and all(map(is_model, paths)):
                    given["arch"] = None  # that of the image
            else:
                for name in (*NAMES, "cache", *(() if own_arch else ("arch",))):
                    refuse_given(name, "is of a network that is compiled first, and no network is named")
            return command(*args, **given)

        mapping = options_of(CompileOptions, *NAMES, texts="Of a network: as compile.", defaults=False)
        text = CHIP if not flows else f"{CHIP} Of a flow: the chip in place of the one that it declares."
        return apply(*(() if own_arch else (_arch_option(text),)), mapping, _cache)(looking)

    return wrap


def _arch_option(text: str) -> Callable[[Any], Any]:
    return click.option("--arch", metavar="CHIP", shell_complete=presets, help=text)


def is_model(path: Path) -> bool:
    """Whether it is the file of a network, by its name."""
    return path.suffix in MODELS and path.is_file()


def _image(model: Path, arch: str | None, cache: Path | None, golden: bool, options: dict[str, Any]) -> Path:
    """The image of a network, which stays until the command ends; what was compiled is told at once."""
    from emu.output.scratch import ScratchFolder
    from launch.images.cache import ImageCache, compile_or_find
    from launch.runs.validation import Validation

    ctx = click.get_current_context()
    with ExitStack() as stack:
        images = None if cache is None else stack.enter_context(ImageCache(cache))
        folder = stack.enter_context(ScratchFolder("image")) / model.stem
        stored = Validation(arch=arch or "default", **options).stored() | ({} if golden else {"golden": "none"})
        compiled = compile_or_find(images, model, folder, quiet=json_wanted(), **stored)
        ctx.call_on_close(stack.pop_all().close)
    out = compiled.out or folder
    named_as(ctx, model, out)
    for warning in compiled.warnings:
        print_to_stderr(f"warning: {warning}")
    if not json_wanted():
        print_to_stderr(f"compiled: {replace(compiled, out=None).line()}")
    return out
