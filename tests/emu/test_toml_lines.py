"""Lines of keys in TOML texts: every way of writing them, arrays of tables, in linear time."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.toml_lines import line_of

TEXT = """\
title = "x"  # 1
[defaults]
cores = 4

[[case]]
model = "a.onnx"
[[case]]
model = "b.onnx"
keep = [
  "one",
]
[case.more]
deep = 1
[[case.part]]
size = 1
[[case.part]]
size = 2

[[case]]
"model" = "c.onnx"
more.deep = 2
[[case.part]]
size = 3
[other]
inline = { key = 1, list = [{ a = 1 }, { b = 2 }] }
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("title",), 1),
        (("defaults", "cores"), 3),
        (("case",), 5),
        (("case", 0), 5),
        (("case", 0, "model"), 6),
        (("case", 1), 7),
        (("case", 1, "model"), 8),
        (("case", 1, "keep"), 9),
        (("case", 1, "more", "deep"), 13),
        (("case", 1, "part", 0, "size"), 15),
        (("case", 1, "part", 1), 16),
        (("case", 1, "part", 1, "size"), 17),
        (("case", 2), 19),
        (("case", 2, "model"), 20),
        (("case", 2, "more", "deep"), 21),
        (("case", 2, "part", 0, "size"), 23),
        (("case", 0, "keep"), 0),
        (("case", 2, "keep"), 0),
        (("case", 3), 0),
        (("case", 2, "part", 1), 0),
        (("other", "inline", "list", 1, "b"), 25),
        (("other", "inline", "list", 2), 0),
        (("nothing",), 0),
    ],
)
def test_places(path, line):
    assert line_of(TEXT, path) == line


def test_line_of_missing_key_is_zero():
    assert line_of("[a]\nb = 1\n", ("a", "c")) == 0


def test_lines_are_found_in_linear_time(monkeypatch):
    """Every statement is parsed once, below its header, and not with all that stands before it."""
    parsed, loads = [], tomllib.loads
    monkeypatch.setattr(tomllib, "loads", lambda text: parsed.append(len(text)) or loads(text))
    text = "[chip]\nname = 'x'\n[core]\n" + "".join(f"unknown{k} = {k}\n" for k in range(3000))
    assert line_of(text, ("core", "unknown2999")) == 3003
    assert sum(parsed) < 3 * len(text)
    assert line_of("a = [\n" + "1,\n" * 200 + "]\nb = 1\n", ("b",)) == 0  # so long a statement is not looked into


names = st.sampled_from(["a", "b", "c d"])


@given(st.lists(st.tuples(names, st.lists(names, unique=True, max_size=3)), max_size=8))
def test_every_key_of_arrays_of_tables_is_found(tables):
    lines, places, seen = [], {}, {}
    for name, keys in tables:
        number = seen[name] = seen.get(name, -1) + 1
        lines.append(f'[["{name}"]]')
        places[(name, number)] = len(lines)
        for key in keys:
            lines.append(f'"{key}" = 1')
            places[(name, number, key)] = len(lines)
    text = "\n".join(lines) + "\n"
    tomllib.loads(text)
    assert {place: line_of(text, place) for place in places} == places
