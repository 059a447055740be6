"""The papers that there are: each file beside this folder is one, under its name; nothing else has to know of it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from emu.errors import InputError, shown
from emu.wording import nearest
from launch.papers.frame.figure import FigureRequest, Paper, WantedOptions, requests_for

FOLDER = Path(__file__).parents[1]
PACKAGE = "launch.papers"


def paper_names() -> list[str]:
    """Names of all papers: those of their files, with dashes."""
    return sorted(file.stem.replace("_", "-") for file in FOLDER.glob("*.py") if not file.stem.startswith("_"))


def paper(name: str) -> Paper:
    """The paper of this name; raises InputError that names the nearest one."""
    known = paper_names()
    if name not in known:
        homes = [each for each in known if any(figure.name == name for figure in paper(each).figures)]
        near = nearest(name, known) or f": there are {', '.join(known)}"
        raise InputError(f"there is no paper {shown(name)}{f', but {homes[0]}/{name}' if homes else near}")
    found = import_module(f"{PACKAGE}.{name.replace('-', '_')}").PAPER
    assert isinstance(found, Paper)
    return found


def requested(name: str, figure: str, wanted: WantedOptions, brief: bool = False) -> list[FigureRequest]:
    """The figures that PAPER or PAPER/FIGURE means; raises InputError."""
    which, _, inside = name.partition("/")
    if inside and figure:
        raise InputError(f"{name} names a figure, and {shown(figure)} is another one: name one at a time")
    return requests_for(which, paper(which), inside or figure, wanted, brief)
