"""Parses program sets: the text of a whole image."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any, NoReturn

from emu.arch import Arch
from emu.arch.read import MAX_FILE, arch_from_tables, load_arch, parse_arch, preset_names
from emu.asm.core_parser import CoreParser
from emu.asm.cursor import Cursor
from emu.asm.lexer import TokenKind
from emu.asm.program_set import CoreText, ProgramSet
from emu.asm.read_only_text import parse_read_only
from emu.asm.tensor_text import parse_tensor
from emu.errors import ProgramError
from emu.image.manifest import ModelInfo, ReadOnlySpec, StateSpec, TensorOrigin, TensorSpec, end_of
from emu.program.limits import MAX_ADDRESS

Read = Callable[[str], bytes]  # gives the content of a file beside the text; raises InputError


def _no_files(name: str) -> NoReturn:
    raise ProgramError(f"file {name!r} cannot be read: the text has no directory")


def parse_program_set(text: str, file_name: str, read: Read = _no_files) -> ProgramSet:
    """The program set of a text; `read` gives files that it names, but for weights. Raises ProgramError, ArchError."""
    return _SetParser(Cursor(text, file_name), read).parse()


class _SetParser:
    def __init__(self, cursor: Cursor, read: Read) -> None:
        self._cursor, self._read = cursor, read
        self._once: dict[str, Any] = {}
        self._tensors: dict[str, list[TensorSpec]] = {"input": [], "output": []}
        self._read_only: dict[str, ReadOnlySpec] = {}
        self._options: dict[str, str] = {}
        self._origins: list[TensorOrigin] = []
        self._warnings: list[str] = []
        self._states: list[StateSpec] = []
        self._cores: list[CoreText] = []

    def parse(self) -> ProgramSet:
        cursor = self._cursor
        once: dict[str, Callable[[], Any]] = {
            "arch": self._arch,
            "model": self._model,
            "global": lambda: cursor.integer("the size of global memory", 0, MAX_ADDRESS),
            "default_input": cursor.beside,
            "golden": cursor.beside,
            "golden_source": lambda: cursor.string("where golden values come from"),
        }
        many: dict[str, Callable[[], None]] = {
            "option": self._option,
            "warning": lambda: self._warnings.append(cursor.string("a warning")),
            "tensor": self._origin,
            "input": lambda: self._tensor("input"),
            "output": lambda: self._tensor("output"),
            "readonly": self._shared,
            "state": self._state,
            "core": self._core,
        }
        cursor.skip_lines()
        while cursor.token.kind is not TokenKind.END:
            begin = cursor.token
            word = cursor.one_of((*once, *many), f"a statement ({', '.join((*once, *many))})")
            if word in self._once:
                cursor.fail(f"{word} occurs twice", begin)
            if word in once:
                self._once[word] = once[word]()
            else:
                many[word]()
            cursor.end_statement()
            if cursor.at("}"):
                cursor.expected("a statement")
        return self._finish()

    def _finish(self) -> ProgramSet:
        if "arch" not in self._once:
            self._cursor.fail("expected an arch statement, such as `arch default`, somewhere in the file")
        read_only = tuple(self._read_only.values())
        ends = end_of(chain(*self._tensors.values())), *(spec.end for spec in read_only)
        return ProgramSet(
            self._once["arch"],
            self._once.get("global", max(ends)),
            tuple(self._tensors["input"]),
            tuple(self._tensors["output"]),
            tuple(self._cores),
            self._once.get("model", ModelInfo()),
            self._options,
            self._once.get("default_input", ""),
            self._once.get("golden", ""),
            self._once.get("golden_source", ""),
            tuple(self._origins),
            tuple(self._warnings),
            read_only,
            tuple(self._states),
        )

    def _arch(self) -> Arch:
        cursor = self._cursor
        if cursor.at("{"):
            return self._inline_arch()
        begin = cursor.token
        if begin.kind is not TokenKind.STRING:
            return load_arch(cursor.hyphenated(preset_names(), "a preset ({}), a file name in quotes or '{{'"))
        name = cursor.beside()
        content = self._read(name)
        if len(content) > MAX_FILE:
            cursor.fail(f"{begin} has {len(content)} bytes, more than the {MAX_FILE} of an architecture file", begin)
        try:
            return parse_arch(content.decode("utf-8"), name)
        except UnicodeDecodeError:
            cursor.fail(f"{begin} is no UTF-8 text", begin)

    def _inline_arch(self) -> Arch:
        cursor = self._cursor
        tables: dict[str, Any] = {}
        lines: dict[tuple[str, ...], int] = {}
        cursor.open_block()
        while cursor.in_block():
            line = cursor.token.line
            *path, key = cursor.word("a key such as core.crossbars").split(".")
            cursor.expect("=")
            table = tables
            for depth, name in enumerate(path, 1):
                lines.setdefault(tuple(path[:depth]), line)
                table = table.setdefault(name, {})
                if not isinstance(table, dict):
                    cursor.fail(f"{'.'.join(path[:depth])} is no table: it has a value of its own")
            table[key] = self._arch_value()
            if lines.setdefault((*path, key), line) != line:
                cursor.fail(f"{'.'.join((*path, key))} occurs twice")
            cursor.end_statement()

        def locate(table: str, key: str) -> str:
            path = (*table.split("."), key) if key else tuple(table.split("."))
            return f"{cursor.file_name}, line {lines[path]}: "

        return arch_from_tables(tables, locate)

    def _arch_value(self) -> object:
        cursor = self._cursor
        if cursor.accept("["):
            return cursor.listed(self._arch_value)
        if cursor.at("true", "false"):
            return cursor.advance().text == "true"
        return cursor.string("a value") if cursor.token.kind is TokenKind.STRING else cursor.number("a value")

    def _model(self) -> ModelInfo:
        name = self._cursor.string("a model name")
        return ModelInfo(name, self._cursor.string("a digest") if self._cursor.accept("sha256") else "")

    def _option(self) -> None:
        key = self._cursor.string("the name of an option")
        self._options[key] = self._cursor.string("the value of the option")

    def _origin(self) -> None:
        cursor = self._cursor
        tensor = cursor.string("a tensor name")
        cursor.expect("node")
        node = cursor.string("a node")
        absent = cursor.string("why no core holds it") if cursor.accept("absent") else ""
        self._origins.append(TensorOrigin(tensor, node, absent))

    def _tensor(self, kind: str) -> None:
        begin = self._cursor.token
        spec = parse_tensor(self._cursor)
        if any(spec.name == other.name for other in self._tensors[kind]):
            self._cursor.fail(f"{kind} {spec.name!r} occurs twice", begin)
        self._tensors[kind].append(spec)

    def _shared(self) -> None:
        begin = self._cursor.token
        spec = parse_read_only(self._cursor)
        if self._read_only.setdefault(spec.name, spec) is not spec:
            self._cursor.fail(f"readonly {spec.name!r} occurs twice", begin)

    def _state(self) -> None:
        name = self._cursor.string("an input")
        self._cursor.expect("from")
        self._states.append(StateSpec(name, self._cursor.string("an output")))

    def _core(self) -> None:
        begin = self._cursor.token
        core = CoreParser(self._cursor, self._read).parse()
        if any(core.program.core == other.program.core for other in self._cores):
            self._cursor.fail(f"core {core.program.core} occurs twice", begin)
        self._cores.append(core)
