"""What a shell completes beyond names of commands, options and choices: presets, networks, nodes of an image."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from launch.cli.choices import names_in

MAX_MANIFEST = 16 << 20  # bytes: a shell does not wait for more


def presets(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Presets of architectures; files where none begins so: shells take either words or files."""
    from emu.arch.read import preset_names

    return _matching(preset_names(), incomplete) or [CompletionItem(incomplete, type="file")]


def networks(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Built-in networks; directories where none begins so."""
    return _matching(network_names(), incomplete) or [CompletionItem(incomplete, type="file")]


def network_names() -> list[str]:
    """Built-in networks and kernels, by the text of their tables: importing these would take long."""
    kernels = (f"kernels/{name}" for name in names_in("launch.zoo.kernels:BUILDERS"))
    return [*names_in("launch.zoo.__init__:NETWORKS"), *kernels]


def papers(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Papers; behind the name of one its figures."""
    from launch.papers.frame.library import paper, paper_names

    name, slash, _ = incomplete.partition("/")
    if slash and name in paper_names():
        return _matching((f"{name}/{figure.name}" for figure in paper(name).figures), incomplete)
    return _matching(paper_names(), incomplete)


def figures(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Figures of the paper that the command line names already."""
    from launch.papers.frame.library import paper, paper_names

    name = str(ctx.params.get("name"))
    return _matching([figure.name for figure in paper(name).figures] if name in paper_names() else [], incomplete)


def nodes(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The ONNX nodes of the image that the command line names already; none if it cannot be read."""
    for folder in (ctx.params.get("out"), *ctx.args):  # words behind an option without its value are not read yet
        with suppress(OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            path = Path(folder) / "manifest.json"
            if path.stat().st_size <= MAX_MANIFEST:
                record = json.loads(path.read_text("utf-8"))
                return _matching(dict.fromkeys(str(row["node"]) for row in record["tensors"]), incomplete)
    return []


def _matching(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]
