"""The page of errors has a cause with a cure for every sentence of the sources, and quotes what they really say."""

import ast
import re

import error_sentences
import pytest
from click.testing import CliRunner
from error_causes import MODULES, PAGE, cause_of, causes, quotes
from snippets import ROOT

from emu.errors import EmuError
from launch.cli import cli

TEXT = PAGE.read_text("utf-8")
CAUSES = causes(TEXT)
SENTENCES = error_sentences.sentences()
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


def test_every_cause_has_a_cure_codes_and_a_sentence():
    assert len(CAUSES) >= 41
    for cause in CAUSES.values():
        assert cause.cured and cause.codes and cause.said, cause.title


@pytest.mark.parametrize("title", CAUSES)
def test_what_a_cause_quotes_is_what_its_modules_say(title):
    told = [sentence.text for sentence in SENTENCES if cause_of(sentence.module) == title]
    assert [said for said in CAUSES[title].said if not any(quotes(said, text) for text in told)] == []


def test_every_sentence_has_a_cause_and_every_cause_and_prefix_has_sentences():
    assert len(SENTENCES) > 1000
    modules = {sentence.module for sentence in SENTENCES}
    assert {cause_of(module) for module in modules} == set(MODULES) == set(CAUSES)
    for prefix in (prefix for prefixes in MODULES.values() for prefix in prefixes):
        assert any(module == prefix or module.startswith((f"{prefix}.", f"{prefix}_")) for module in modules), prefix


def test_errors_of_a_new_part_want_a_cause():
    with pytest.raises(KeyError, match="say in error_causes"):
        cause_of("emu.quantum.gates")


@pytest.mark.parametrize(
    ("said", "sentence", "same"),
    [
        ("... has ..., not one", "{name} has {...}, not one", True),
        ("has no core", "{where}node {name} has no core: run place", True),
        ("has one core", "{where}node {name} has no core", False),
        ("name is missing", "{name} is missing", False),
        ("...", "{name}", False),
    ],
)
def test_quotes_are_of_words(said, sentence, same):
    assert quotes(said, sentence) is same


def test_a_cause_without_cure_or_codes_is_noticed():
    (cause,) = causes("### A\n\n> `it is so`\n\nWhy. Exit code 2, 3\n").values()
    assert (cause.said, cause.cured, cause.codes) == (["it is so"], False, frozenset())
    (cause,) = causes("### A\n\n**Cure:** mend it. Exit codes\n2, 3.\n## B\n> `no`\n").values()
    assert (cause.said, cause.cured, cause.codes) == ([], True, frozenset({2, 3}))


def test_exit_codes_of_all_errors_are_on_the_page():
    import launch.golden.values
    import launch.runs.validation
    import launch.supervision.errors  # noqa: F401  # their classes

    def family(kind):
        return {kind, *(one for child in kind.__subclasses__() for one in family(child))}

    codes = {kind.exit_code for kind in family(EmuError)}
    assert codes == {1, 2, 3, 4, 5, 6}
    assert codes <= set(map(int, re.findall(r"^\| (\d+) \|", TEXT, re.MULTILINE)))
    assert set().union(*(cause.codes for cause in CAUSES.values())) >= codes


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
        "import wrong.asm -o out/x",
        "check empty",
        "launch empty",
        "validate --suite suite.toml",
        "sweep MODEL --vary crossbars=1",
        "lunch out",
    ],
)
def test_what_commands_say_has_a_cause(tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chip.toml").write_text("[chip]\ncores = 0\n")
    (tmp_path / "wrong.asm").write_text("arch tiny\ncore 0 { main { hallt } }\n")
    (tmp_path / "suite.toml").write_text("[[case]]\ncores = 4\n")
    (tmp_path / "empty").mkdir()
    model = str(ROOT / "examples" / "digits_cnn.onnx")
    done = CliRunner().invoke(cli, [word.replace("MODEL", model) for word in words.split()])
    assert done.exit_code == 2, done.output
    (said,) = re.findall(r"^error: (.+)$", done.stderr, re.MULTILINE)
    told = [sentence for sentence in SENTENCES if sentence.matches(said)]
    assert all(cause_of(sentence.module) in CAUSES for sentence in told)
    assert told or re.match("Invalid value|No such option", said), said
