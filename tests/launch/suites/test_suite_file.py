"""Suite files: what their cases are, and that damage is told in one sentence."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.errors import InputError
from launch.campaigns.case import Case
from launch.cli.suite_options import case_commands
from launch.suites.check import check_cases
from launch.suites.commands import MODEL, PATTERN
from launch.suites.suite_file import read_suite

NOTHING = {MODEL: {}, PATTERN: {}}
SUITE = """\
[defaults]
cores = 4
log_dir = "logs"
sequential = true

[[case]]
model = "a.onnx"
shape = ["x=1,4", "y=2"]
tolerance = 1e-5
sequential = false

[[case]]
name = "r"
pattern = "ring"
cores = 8
chaos = "delay:0.1,2"
log-dir = "/tmp/r"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suites")
    for name in ("a.onnx", "b [1].onnx", "deep/er/c.onnx"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return folder


def cases_of(folder: Path, text: str, given_words: dict[str, dict[str, tuple[str, ...]]] = NOTHING) -> list[Case]:
    (folder / "suite.toml").write_text(text)
    return read_suite(folder / "suite.toml", case_commands(), given_words)


def test_a_case_wins_over_the_defaults_and_the_command_line_over_both(folder: Path) -> None:
    network, ring = cases_of(folder, SUITE)
    assert network.repeat == (
        *("validate", f"{folder}/a.onnx", "--cores", "4", "--log-dir", f"{folder}/logs"),
        *("--shape", "x=1,4", "--shape", "y=2", "--tolerance", "1e-05"),
    )
    assert ring.repeat == (
        *("stress", "ring", "--cores", "8", "--log-dir", "/tmp/r", "--chaos", "delay:0.1,2"),
    )  # --sequential is no option of it
    assert [(case.name, case.origin.line(""), case.origin.line("cores")) for case in (network, ring)] == [
        ("a", 6, 2),
        ("r", 12, 15),
    ]
    typed = {MODEL: {"cores": ("--cores", "2")}, PATTERN: {"cores": ("--cores", "2"), "seed": ("--seed", "5")}}
    assert [case.repeat[2:4] for case in cases_of(folder, SUITE, typed)] == [("--cores", "2")] * 2
    assert cases_of(folder, SUITE, typed)[1].repeat[-2:] == ("--seed", "5")


@pytest.mark.parametrize(
    ("model", "names"),
    [
        ("*.onnx", ["a", "b [1]"]),
        ("**/*.onnx", ["a", "b [1]", "c"]),
        ("b [1].onnx", ["b [1]"]),  # a file of this very name
        ("[a-b].onnx", ["a"]),
        ("deep/er/?.onnx", ["c"]),
    ],
)
def test_wildcards(folder: Path, model: str, names: list[str]) -> None:
    cases = cases_of(folder, f"[[case]]\nmodel = '{model}'\n")
    assert [case.name for case in cases] == names
    assert all(Path(case.file).is_file() for case in cases)
    absolute = cases_of(folder, f"[[case]]\nmodel = '{folder}/{model}'\n")
    assert [case.repeat for case in absolute] == [case.repeat for case in cases]


STRUCTURE = ("", "[", "]", "[[case]]", "[case]", "[defaults]", "=", '"', "\n", "#", "{}", "x.", "case = 1\n")
VALUES = ("3", "-1", "nan", "true", "[1, 2]", "\\u0000", "'a'", "é", "1979-05-27")
KEYS = ("cores", "name = 'r'\n", "model = '*'\n", "pattern = 'ring'\n")
pieces = st.sampled_from((*STRUCTURE, *VALUES, *KEYS))


@given(st.lists(st.tuples(st.integers(0, len(SUITE)), st.integers(0, 12), pieces), min_size=1, max_size=4))
def test_damaged_files_are_refused_in_one_sentence_or_read(folder: Path, damages: list[tuple[int, int, str]]) -> None:
    text = SUITE
    for start, length, piece in damages:
        text = text[:start] + piece + text[start + length :]
    try:
        cases = cases_of(folder, text)
        check_cases(cases, case_commands())
    except InputError as error:
        assert "suite.toml" in str(error) and "\n" not in str(error)
    else:
        assert cases and len({case.name for case in cases}) == len(cases)
