"""A project's defaults: `[tool.emu]` of pyproject.toml, or emu.toml, in the working directory or the nearest above.

Keys at the top are for all commands that have such an option, those of a table `[tool.emu.COMMAND]` for one, and win.
What is typed wins over both, and so does the environment variable of an option. Files are relative to that of the
configuration.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from emu.errors import InputError, shown
from emu.files import read_text
from emu.wording import nearest

VARIABLE = "EMU_CONFIG"  # a file in place of the one that is found; empty: none
PROJECT, OWN = "pyproject.toml", "emu.toml"
TABLES = {PROJECT: ("tool", "emu")}  # where the keys stand; in other files at the top
MAX_FILE = 1 << 20  # bytes
_META = "launch.config"  # of a context: the `Defaults` of the command at work
_TYPED_ALONE = frozenset(("as_json", "debug"))  # options of whoever starts a command, not of a project

Commands = Callable[[str], click.Command | None]


@dataclass(frozen=True, slots=True)
class Config:
    """The `tables` of a file, of which `text` tells the lines."""

    file: Path
    text: str
    tables: Mapping[str, Any]

    @property
    def _prefix(self) -> tuple[str, ...]:
        return TABLES.get(self.file.name, ())

    def place(self, *keys: str) -> str:
        """What an error about a key begins with."""
        from emu.toml_lines import line_of

        line = line_of(self.text, (*self._prefix, *keys))
        table = ".".join((*self._prefix, *keys[:-1]))
        return f"{self.file}{f', line {line}' if line else ''}: {f'[{table}] ' if table else ''}{keys[-1]}"

    def defaults(self, name: str, names: tuple[str, ...], commands: Commands) -> Defaults:
        """Those of the command `name`, of all that are called `names`; raises InputError for what no option takes."""
        from launch.suites.words import keys_of

        command = commands(name)
        assert command is not None
        options = keys_of(command)
        found = Defaults(self.file, name, command)
        for key, value in self.tables.items():
            if isinstance(value, dict):
                if key not in names:
                    raise InputError(f"{self.place(key)} is no command{nearest(key, names)}: `emu --help` lists them")
            elif option := options.get(key.replace("_", "-")):
                self._take(found, (key,), option, value)
            elif key.replace("_", "-") not in (known := _keys(names, commands)):
                raise InputError(f"{self.place(key)} is an option of no command{_meant(key, known)}")
        own = self.tables.get(name)  # an option may be called as a command
        for key, value in (own if isinstance(own, dict) else {}).items():
            option = options.get(key.replace("_", "-"))
            if option is None:
                raise InputError(f"{self.place(name, key)} is no option of `emu {name}`{_meant(key, options)}")
            self._take(found, (name, key), option, value)
        return found

    def _take(self, found: Defaults, keys: tuple[str, ...], option: click.Option, value: Any) -> None:
        from launch.suites.words import words_of

        if option.name in _TYPED_ALONE:
            raise InputError(f"{self.place(*keys)} is for the command line: leave it out")
        try:
            words = words_of(option, value, self.file.parent)
            found.words[str(option.name)] = words
            plain = bool(value) if option.is_flag else list(words[1::2]) if option.multiple else words[-1]
            option.type_cast_value(click.Context(found.command, info_name=found.name), plain)
        except ValueError as error:
            raise InputError(f"{self.place(*keys)} {error}") from None
        except click.UsageError as error:
            raise InputError(f"{self.place(*keys)}: {error.message}{self._instead(keys, found)}") from None
        except InputError as error:
            raise InputError(f"{self.place(*keys)}: {error}{self._instead(keys, found)}") from None
        found.values[str(option.name)] = plain
        found.keys[str(option.name)] = keys

    def _instead(self, keys: tuple[str, ...], found: Defaults) -> str:
        """How a key of all commands is set for this one alone."""
        *above, key = keys
        table = ".".join((*self._prefix, found.name))
        return "" if above else f" (`emu {found.name}` takes its own from [{table}] {key})"


def _keys(names: tuple[str, ...], commands: Commands) -> tuple[str, ...]:
    """The keys of all commands."""
    from launch.suites.words import keys_of

    return tuple({key: None for name in names if (command := commands(name)) for key in keys_of(command)})


def _meant(key: str, known: Collection[str]) -> str:
    return nearest(key.replace("_", "-"), known) or ": keys are long options, without their dashes"


@dataclass(frozen=True, slots=True)
class Defaults:
    """The values of a command that a `file` gives, by parameter: as click's `default_map` has them, and as words."""

    file: Path
    name: str
    command: click.Command
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    words: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    keys: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])  # where each stands


def read_config() -> Config | None:
    """The configuration that counts here; None if there is none. Raises InputError, also for two in one folder."""
    if VARIABLE in os.environ:
        named = os.environ[VARIABLE]
        if named and not Path(named).is_file():
            raise InputError(
                f"{VARIABLE}={shown(named)} is no file: name one, or set it to nothing for no configuration"
            )
        return _read(Path(named)) if named else None
    here = Path.cwd()
    for folder in (here, *here.parents):
        project, own = folder / PROJECT, folder / OWN
        found = _read(project) if project.is_file() else None  # many projects have one that says nothing of us
        if own.is_file():
            if found is not None:
                raise InputError(
                    f"{folder} has {OWN}, and {PROJECT} with [tool.emu]: put all keys into one of them, and leave the"
                    " other out"
                )
            _refuse_strangers(own, here)
            return _read(own)
        if found is not None:
            _refuse_strangers(project, here)
            return found
    return None


def _refuse_strangers(file: Path, here: Path) -> None:
    """A file above the working directory, which somebody else may have put there, is refused: options can name code."""
    owner = file.stat().st_uid
    if file.parent != here and owner not in (0, os.getuid()):
        raise InputError(
            f"{file} is of another user, and above {here}: name it by {VARIABLE}={file} if it is to count, or use"
            " --no-config"
        )


def _read(file: Path) -> Config | None:
    """What a file says; None if it has no place for keys of ours."""
    text = read_text(file, MAX_FILE) if file.stat().st_size else ""
    tables = _tables(file, text)
    return None if tables is None else Config(file, text, tables)


def _tables(file: Path, text: str) -> Mapping[str, Any] | None:
    """The keys that are ours; None if there is no place for them."""
    keys = TABLES.get(file.name, ())
    if not all(key in text for key in keys):
        return None
    import tomllib

    try:
        tables: Any = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file}: not valid TOML: {error}") from None
    for key in keys:
        tables = tables.get(key) if isinstance(tables, dict) else None
    if tables is not None and not isinstance(tables, dict):
        raise InputError(f"{file}: {'.'.join(keys)} is no table: write [{'.'.join(keys)}]")
    return tables


def apply_config(ctx: click.Context, config: Config, name: str, names: tuple[str, ...], commands: Commands) -> None:
    """Make the values of a configuration the defaults of the command `name`, which the group of `ctx` runs next."""
    defaults = config.defaults(name, names, commands)
    ctx.default_map = {name: defaults.values}
    ctx.meta[_META] = defaults, config


@contextmanager
def passed_to_children() -> Generator[None]:
    """Meanwhile no process that is started reads a configuration: what it is to do stands in its own arguments."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = ""
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(VARIABLE, None)
        else:
            os.environ[VARIABLE] = before


def used(ctx: click.Context) -> Iterator[str]:
    """The parameters of the command at work whose values are of a configuration."""
    for parameter in ctx.command.params:
        if ctx.get_parameter_source(str(parameter.name)) is ParameterSource.DEFAULT_MAP:
            yield str(parameter.name)


def used_file(ctx: click.Context | None) -> Path | None:
    """The configuration that gave the command at work a value; None if none did."""
    return ctx.meta[_META][0].file if ctx is not None and _META in ctx.meta and any(used(ctx)) else None


def place_of(ctx: click.Context | None, name: str) -> str:
    """File, line and key of the value that the parameter `name` has of a configuration; empty if it has none of it."""
    if ctx is None or _META not in ctx.meta or name not in used(ctx):
        return ""
    defaults, config = ctx.meta[_META]
    place: str = config.place(*defaults.keys[name])
    return place


def arguments(ctx: click.Context) -> list[str]:
    """The arguments of `emu`, with the values of the configuration as if they had been typed, too."""
    typed = list(ctx.meta.get("arguments", ()))
    if _META not in ctx.meta:
        return typed
    place = typed.index(str(ctx.info_name)) + 1
    words = [word for name in used(ctx) for word in ctx.meta[_META][0].words[name]]
    return [*typed[:place], *words, *typed[place:]]


def words_below(ctx: click.Context, name: str) -> Mapping[str, tuple[str, ...]]:
    """What the configuration says of another command, or of this one, as words by parameter."""
    if _META not in ctx.meta:
        return {}
    root = ctx.find_root().command
    assert isinstance(root, click.Group)
    config: Config = ctx.meta[_META][1]
    names = tuple(root.list_commands(ctx))
    return config.defaults(name, names, lambda each: root.get_command(ctx, each)).words


def is_given(ctx: click.Context, name: str) -> bool:
    """Whether somebody has given the parameter, on the command line or in a configuration."""
    return ctx.get_parameter_source(name) in (ParameterSource.COMMANDLINE, ParameterSource.DEFAULT_MAP)
