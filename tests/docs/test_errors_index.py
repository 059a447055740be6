"""The index of errors knows every sentence of the sources, and what commands really say is in it."""

import ast
import re

import error_index
import error_sentences
import pytest
from click.testing import CliRunner
from error_causes import GROUPS, group_of
from snippets import ROOT

from emu.errors import EmuError
from launch.cli import cli

PAGE = (ROOT / "docs" / "errors.md").read_text("utf-8")
CLASSES = "import emu.errors\n\nclass Own(emu.errors.InputError):\n    pass\n\n"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def f(p):\n    raise InputError(f'{p}: there is no such file')", ["{p}: there is no such file"]),
        ("def f(a):\n    return Own(f'{a.b} and {a()} ' + 'do not fit')", ["{b} and {...} do not fit"]),
        ("def f():\n    raise Own(f'{option(\"input_file\", 1)} has no effect')", ["--input {value} has no effect"]),
        ("def f(n):\n    text = f'{n} is too small' if n else 'nothing was given'\n    raise InputError(text)",
         ["nothing was given", "{n} is too small"]),
        ("def f(node):\n    node.refuse(f'has axis {node.axis}')", ["has axis {axis}"]),
        ("def axis_fault(n):\n    return f'{n} is no axis'", ["{n} is no axis"]),
        ("WHY_NOT = {'If': 'goes on by a value'}", ["goes on by a value"]),
        ("def f(e):\n    raise KeyError('no such key here') from InputError(str(e))", []),
    ],
)  # fmt: skip
def test_sentences_are_found(source, said):
    tree = ast.parse(CLASSES + source)
    kinds = frozenset({"InputError", *error_sentences.error_classes(tree)})
    assert set(error_sentences.of_module(tree, kinds)) == set(said)


@pytest.mark.full
def test_a_new_sentence_makes_the_page_stale():
    assert error_index.error_index() in PAGE
    assert len(error_sentences.sentences(ROOT)) > 1000


def test_every_group_has_sentences_and_every_prefix_has_modules():
    modules = {sentence.module for sentence in error_sentences.sentences(ROOT)}
    assert {group_of(module).title for module in modules} == {group.title for group in GROUPS}
    for group in GROUPS:
        for prefix in group.modules:
            assert any(module == prefix or module.startswith((f"{prefix}.", f"{prefix}_")) for module in modules), (
                prefix
            )


def test_errors_of_a_new_part_want_a_cause():
    with pytest.raises(KeyError, match="say in error_causes"):
        group_of("emu.quantum.gates")


def test_exit_codes_of_all_errors_are_on_the_page():
    import launch.golden.values
    import launch.runs.validation
    import launch.supervision.errors  # noqa: F401  # their classes

    def family(kind):
        return {kind, *(one for child in kind.__subclasses__() for one in family(child))}

    codes = {kind.exit_code for kind in family(EmuError)}
    assert codes == {1, 2, 3, 4, 5, 6}
    assert codes <= set(map(int, re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)))


@pytest.mark.parametrize(
    "words",
    [
        "compile nothing.onnx -o out/x",
        "compile MODEL -o out/x --packing tight",
        "compile MODEL --arch nowhere -o out/x",
        "compile MODEL --arch chip.toml -o out/x",
        "compile MODEL -o out/x --shape in0",
        "compile MODEL -p no-such-pass -o out/x",
        "compile MODEL --cores 1 --arch tiny -o out/x",
        "compile MODEL -o chip.toml",
        "zoo lenet6",
        "stress rings --cores 4",
        "stress ring --cores 4 --chaos kil:1",
        "assemble wrong.asm -o out/x",
        "check empty",
        "launch empty",
        "validate --suite suite.toml",
        "sweep MODEL --vary cores=1",
        "lunch out",
    ],
)
def test_what_commands_say_is_in_the_index(tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chip.toml").write_text("[chip]\ncores = 0\n")
    (tmp_path / "wrong.asm").write_text("arch tiny\ncore 0 { main { hallt } }\n")
    (tmp_path / "suite.toml").write_text("[[case]]\ncores = 4\n")
    (tmp_path / "empty").mkdir()
    model = str(ROOT / "examples" / "digits_cnn.onnx")
    done = CliRunner().invoke(cli, [word.replace("MODEL", model) for word in words.split()])
    assert done.exit_code == 2, done.output
    (said,) = re.findall(r"^error: (.+)$", done.stderr, re.MULTILINE)
    assert any(sentence.matches(said) for sentence in error_sentences.sentences(ROOT)) or re.match(
        "Invalid value|No such option", said
    ), said
