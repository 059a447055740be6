"""Reads suite files (TOML): every error names file, line and key, before anything runs."""

from __future__ import annotations

import glob
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from emu.errors import InputError, shown
from emu.files import read_text
from emu.toml_lines import line_of
from emu.wording import counted, nearest
from launch.campaigns.case import Case, CaseOrigin
from launch.campaigns.outcomes import EXPECTED
from launch.suites.commands import EXPECT, KEEPS, MODEL, NAME, PATTERN, CaseCommand, Commands, suite_case
from launch.suites.words import below, words_of

MAX_FILE = 1 << 20  # bytes: thousands of cases
DEFAULTS, CASE = "defaults", "case"
OF_A_CASE = (NAME, MODEL, PATTERN, EXPECT)
Words = Mapping[str, tuple[str, ...]]  # name of an option's parameter -> words
Place = tuple[str | int, ...]  # keys and numbers that lead to a table


@dataclass(frozen=True, slots=True)
class SuiteFile:
    """The text of a suite file, which knows its lines, and the commands that its cases may be."""

    path: Path
    text: str
    commands: Commands

    @property
    def folder(self) -> Path:
        """The folder that its paths are relative to."""
        return self.path.parent

    def place(self, *keys: str | int) -> str:
        """The prefix of an error about a key."""
        line = line_of(self.text, keys) if keys else 0
        return f"{self.path}, line {line}: " if line else f"{self.path}: "

    def cases(
        self, tables: Mapping[str, Any], given: Mapping[str, Words], below: Mapping[str, Words]
    ) -> Iterator[Case]:
        """The cases of the file's `tables`; `given` are, per kind, words that win, `below` those that count last."""
        self._check_tables(tables)
        self._check_keys((DEFAULTS,), tables.get(DEFAULTS, {}), self.commands.values())
        defaults = {kind: self._words((DEFAULTS,), tables.get(DEFAULTS, {}), kind) for kind in self.commands}
        for number, table in enumerate(tables[CASE]):
            kind = self._kind(number, table)
            command = self.commands[kind]
            self._check_keys((CASE, number), table, (command,))
            words = {**below.get(kind, {}), **defaults[kind], **self._words((CASE, number), table, kind), **given[kind]}
            origin = CaseOrigin(str(self.path), partial(self._line, tables, number))
            expect = self._expected((CASE, number), table) or self._expected((DEFAULTS,), tables.get(DEFAULTS, {}))
            for name, target in self._targets(number, table, kind):
                yield suite_case(name, kind, target, command.name, named_words(words, command, name), origin, expect)

    def _expected(self, at: Place, table: Mapping[str, Any]) -> str:
        """The outcome that a table expects of its cases; empty if none is given."""
        value = table.get(EXPECT, "")
        if EXPECT in table and value not in tuple(EXPECTED):
            *words, last = EXPECTED
            raise InputError(
                f"{self.place(*at, EXPECT)}key {EXPECT} must be {', '.join(words)} or {last}, not {shown(value)}"
            )
        return str(value)

    def _line(self, tables: Mapping[str, Any], number: int, key: str) -> int:
        """The line of case `number`, or of the key of it that an option is given by, maybe in [defaults]."""
        if not key:
            return line_of(self.text, (CASE, number))
        places = ((CASE, number), tables[CASE][number]), ((DEFAULTS,), tables.get(DEFAULTS, {}))
        written = ((*at, other) for at, table in places for other in table if other.replace("_", "-") == key)
        return line_of(self.text, next(written, (CASE, number)))

    def _check_tables(self, tables: Mapping[str, Any]) -> None:
        for key in tables:
            if key not in (DEFAULTS, CASE):
                advice = nearest(key, (DEFAULTS, CASE)) or ": a suite has [defaults] and [[case]]"
                raise InputError(f"{self.place(key)}unknown key {shown(key)}{advice}")
        if not isinstance(tables.get(DEFAULTS, {}), dict):
            raise InputError(f"{self.place(DEFAULTS)}defaults must be a table [defaults]")
        cases = tables.get(CASE, [])
        if not isinstance(cases, list) or not all(isinstance(table, dict) for table in cases):
            raise InputError(f"{self.place(CASE)}case must be a table for each case: write [[case]]")
        if not cases:
            raise InputError(f"{self.path}: holds no case: add [[case]] with a model or a pattern")

    def _check_keys(self, at: Place, table: Mapping[str, Any], commands: Collection[CaseCommand]) -> None:
        """Raise InputError for a key of the table at `at` that is an option of none of `commands`."""
        own = OF_A_CASE if at[0] == CASE else (EXPECT,)
        known = {*own, *(key for command in commands for key in command.options() if key not in OF_A_CASE)}
        for key in table:
            plain = key.replace("_", "-")
            if plain not in known:
                raise InputError(f"{self.place(*at, key)}{_unknown(plain, key, known, commands)}")

    def _words(self, at: Place, table: Mapping[str, Any], kind: str) -> Words:
        """The options in a table that the command of `kind` has, as words by parameter."""
        options = self.commands[kind].options()
        words: dict[str, tuple[str, ...]] = {}
        for key, value in table.items():
            option = options.get(key.replace("_", "-"))
            if option is None or key in OF_A_CASE:
                continue
            if option.name in words:
                raise InputError(f"{self.place(*at, key)}key {key} is given twice, by - and by _")
            try:
                words[str(option.name)] = words_of(option, value, self.folder)
            except ValueError as error:
                raise InputError(f"{self.place(*at, key)}key {key} {error}") from None
        return words

    def _kind(self, number: int, table: Mapping[str, Any]) -> str:
        kinds = [kind for kind in self.commands if kind in table]
        if not kinds:
            raise InputError(
                f"{self.place(CASE, number)}a case without model or pattern: say what it runs, "
                'as in model = "net.onnx" or pattern = "ring"'
            )
        if len(kinds) > 1:
            raise InputError(f"{self.place(CASE, number, kinds[1])}a case has a model or a pattern, not both")
        return kinds[0]

    def _targets(self, number: int, table: Mapping[str, Any], kind: str) -> Iterator[tuple[str, str]]:
        """Names and targets of the cases that a table stands for: several where its model has wildcards."""
        for key in (kind, NAME):
            value = table.get(key, "x")
            if not isinstance(value, str) or not value or "\0" in value:
                raise InputError(f"{self.place(CASE, number, key)}key {key} must be a text, not {shown(value)}")
        target = table[kind]
        if kind == PATTERN:
            yield table.get(NAME, target), target
            return
        exact = (self.folder / target).exists()
        if exact or not glob.has_magic(target):
            yield table.get(NAME, Path(target).stem), below(self.folder, target)
            return
        found = sorted(glob.glob(target, root_dir=self.folder, recursive=True))  # noqa: PTH207  (absolute ones, too)
        files = [name for name in found if (self.folder / name).is_file()]
        if not files:
            raise InputError(f"{self.place(CASE, number, kind)}no file is like model {shown(target)}")
        if NAME in table:
            raise InputError(
                f"{self.place(CASE, number, NAME)}model {shown(target)} is {counted(len(files), 'file')}, each a case "
                "called as its file: leave name out"
            )
        for name in files:
            yield Path(name).stem, below(self.folder, name)


def read_suite(
    path: Path, commands: Commands, given: Mapping[str, Words], below: Mapping[str, Words] = MappingProxyType({})
) -> list[Case]:
    """The cases of a suite file, in order; `given` words, per kind, win over the file's, which win over those `below`.

    Raises InputError.
    """
    text = read_text(path, MAX_FILE)
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not valid TOML: {error}") from None
    return list(SuiteFile(path, text, commands).cases(tables, given, below))


def named_words(words: Words, command: CaseCommand, name: str) -> tuple[str, ...]:
    """All words of a case; those of a case that keeps artefacts say its name, which their folder has."""
    named = dict(words)
    option = command.options().get(NAME)
    if option is not None and KEEPS in named:
        named[NAME] = words_of(option, name)
    return tuple(word for part in named.values() for word in part)


def _unknown(plain: str, key: str, known: Collection[str], commands: Collection[CaseCommand]) -> str:
    """What is wrong with a key that is none of `known`; `plain` is how options write it."""
    if plain in OF_A_CASE:
        return f"key {key} belongs into a [[case]], not into [defaults]"
    spellings = {text for command in commands for parameter in command.command.params for text in parameter.opts}
    if f"--{plain}" in spellings:
        return f"key {key} is for the command line: no case has it"
    names = " or ".join(f"`emu {command.name}`" for command in commands)
    return f"unknown key {shown(key)}{nearest(plain, known) or f': the keys are the long options of {names}'}"
