"""Names of launch/: one for one thing, and none of the words that say nothing."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

LAUNCH = Path(__file__).parents[2] / "launch"
# Words that were replaced, with what stands in their place.
REPLACED = {
    "told": "what it holds (`values`, `lines`, `reported`)",
    "telling": "report, print",
    "shaken": "perturbed",
    "bury": "reclaim",
    "shed": "close_inherited",
    "wish": "request",
    "standstill": "loss detector",
    "lookout": "inspector",
    "stalls": "stopped processes",
}


def trees() -> Iterator[tuple[str, ast.Module]]:
    for file in sorted(LAUNCH.rglob("*.py")):
        yield str(file.relative_to(LAUNCH.parent)), ast.parse(file.read_text("utf-8"))


def names_of(tree: ast.Module) -> Iterator[str]:
    """The names that a module gives to classes, functions, parameters and variables."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr


def words(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)}


def test_names_are_made_of_the_words_of_the_field() -> None:
    strange = [
        f"{file}: {name}: say {' or '.join(REPLACED[word] for word in words(name) & REPLACED.keys())}"
        for file, tree in trees()
        for name in (Path(file).stem, *names_of(tree))
        if words(name) & REPLACED.keys()
    ]
    assert not strange


def test_a_public_class_has_a_name_of_its_own() -> None:
    classes = Counter(node.name for _, tree in trees() for node in tree.body if isinstance(node, ast.ClassDef))
    assert not [name for name, count in classes.items() if count > 1 and not name.startswith("_")]
