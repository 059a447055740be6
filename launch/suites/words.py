"""Values of a suite file or a configuration, and options of a command line, as the words of a case's command line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from emu.errors import shown

# Texts that end so are files, for options whose values may be a file or something else.
FILE_ENDS = frozenset({".npz", ".npy", ".toml", ".json", ".onnx"})


def keys_of(command: click.Command) -> dict[str, click.Option]:
    """The options of a command, by key: each long spelling without its dashes."""
    return {
        spelling.removeprefix("--"): option
        for option in command.params
        if isinstance(option, click.Option)
        for spelling in option.opts
        if spelling.startswith("--")
    }


def words_of(option: click.Option, value: Any, folder: Path | None = None) -> tuple[str, ...]:
    """`value` of an option as it is typed; raises ValueError with what is wrong with it.

    Files are relative to `folder`, if that is given. A list repeats an option that can be repeated.
    """
    spelling = next(text for text in option.opts if text.startswith("--"))
    if option.is_flag:
        if not isinstance(value, bool):
            raise ValueError(f"must be true or false, not {shown(value)}")
        return _flag(option, spelling, value)
    if isinstance(value, list) and not option.multiple:
        raise ValueError(f"takes one value, not the list {shown(value)}")
    values = value if isinstance(value, list | tuple) else [value]
    return tuple(word for one in values for word in (spelling, _text(option, one, folder)))


def _flag(option: click.Option, spelling: str, value: bool) -> tuple[str, ...]:
    if value:
        return (spelling,)
    return tuple(option.secondary_opts[:1])  # --no-..., where there is one


def _text(option: click.Option, value: Any, folder: Path | None) -> str:
    """One value as a word."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"must be a text or a number, not {shown(value)}")
    text = value if isinstance(value, str) else repr(value)
    if "\0" in text:
        raise ValueError(f"must not hold a zero character, as {shown(value)} does")
    return text if folder is None or not isinstance(value, str) else _placed(option, text, folder)


def _placed(option: click.Option, text: str, folder: Path) -> str:
    """`text` with its file, if it names one, below `folder`."""
    if isinstance(option.type, click.Path):
        return below(folder, text)
    before, equals, last = ("", "", text) if (folder / text).is_file() else text.rpartition("=")
    return before + equals + (below(folder, last) if _is_file(last, folder) else last)  # such as NAME=FILE.npy


def _is_file(text: str, folder: Path) -> bool:
    """Whether a text means a file: by its end, or (with a / or . in it, unlike presets and such) because it is one."""
    if Path(text).suffix in FILE_ENDS:
        return True
    return ("/" in text or "." in text) and (folder / text).is_file()


def below(folder: Path, text: str) -> str:
    """The path `text` of a file in `folder`, which no command takes for an option."""
    path = os.path.join(folder, text) if folder != Path() else text  # noqa: PTH118  (Path would drop a last /)
    return f"./{path}" if path.startswith("-") else path
