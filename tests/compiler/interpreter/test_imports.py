"""The interpreter is a second opinion: it knows the definitions of operations, and nothing of how they are made."""

import ast
from pathlib import Path

import compiler.interpreter

FOLDER = Path(compiler.interpreter.__file__).parent
MAY = (
    "compiler.basis.weights",
    "compiler.dialects",
    "compiler.interpreter",
    "emu.errors",
    "emu.isa.dtypes",
    "emu.program.form",
)
OTHERS = {"__future__", "collections", "dataclasses", "functools", "itertools", "math", "numpy", "typing", "xdsl"}


def imported(path: Path) -> set[str]:
    found = set[str]()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None and not node.level
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def allowed(name: str) -> bool:
    return name.partition(".")[0] in OTHERS or any(name == may or name.startswith(f"{may}.") for may in MAY)


def test_it_imports_only_definitions_weights_and_libraries() -> None:
    files = sorted(FOLDER.rglob("*.py"))
    assert len(files) > 10
    wrong = {path.name: sorted(name for name in imported(path) if not allowed(name)) for path in files}
    assert {name: names for name, names in wrong.items() if names} == {}


def test_it_takes_no_implementation_of_xdsl() -> None:
    names = {name for path in FOLDER.rglob("*.py") for name in imported(path)}
    assert not [name for name in names if name.startswith("xdsl.interpreters")]
