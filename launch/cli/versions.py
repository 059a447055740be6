"""`emu --version`: what a report of an error should name; reads metadata, imports none of the packages."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib import metadata
from typing import Any

import click

from emu import DISTRIBUTION
from emu.image.version import VERSION

PACKAGES = ("numpy", "onnx", "onnxruntime", "xdsl", "pyzmq")


def version_lines() -> Iterator[str]:
    """Version of the product, then the form of its images and the versions that results depend on."""
    yield f"emu, version {_version(DISTRIBUTION)}"
    packages = ", ".join(f"{name} {_version(name)}" for name in PACKAGES)
    yield f"image format {VERSION}, Python {platform.python_version()}, {packages}"


def version_option() -> click.Option:
    """--version of the group."""

    def tell(ctx: click.Context, _param: click.Parameter, value: Any) -> None:
        if value and not ctx.resilient_parsing:
            click.echo("\n".join(version_lines()))
            ctx.exit()

    return click.Option(
        ["--version"],
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=tell,
        help="Show the versions of emu, its image format and the packages below it.",
    )


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "missing"
