"""Comments of TOML texts: found by key, and kept when a text is written anew."""

import pytest

from emu.arch.chip import FIGURES
from emu.arch.read import arch_comments, arch_text, load_arch, parse_arch, preset_names
from emu.arch.write import arch_entries, arch_to_toml
from emu.toml_comments import Comment, comments_of

TEXT = """\
# made
# the file

# the chip
[chip] # table
name = "a # b" # name
cores = 4 # 4 # really

# below nothing
[timing.adc]
# fast
convert_ns = 0.5
rows = [ # begin
  1, # one
]
"even" = '''
# no comment
'''
# end
"""


@pytest.mark.parametrize(
    ("path", "comment"),
    [
        (("chip",), Comment(("# the file", "# the chip"), "# table")),
        (("chip", "name"), Comment((), "# name")),
        (("chip", "cores"), Comment((), "# 4 # really")),
        (("timing", "adc"), Comment(("# below nothing",), "")),
        (("timing", "adc", "convert_ns"), Comment(("# fast",), "")),
    ],
)
def test_comments_are_found_by_key(path, comment):
    assert comments_of(TEXT, made="# made")[path] == comment


def test_what_has_no_comment_is_not_there():
    assert set(comments_of(TEXT)) == {
        ("chip",),
        ("chip", "name"),
        ("chip", "cores"),
        ("timing", "adc"),
        ("timing", "adc", "convert_ns"),
    }


def test_statements_carry_their_comments():
    assert Comment(("# a", "# b"), "# c").around("x = 1") == ["# a", "# b", "x = 1 # c"]
    assert Comment().around("x = 1") == ["x = 1"]


@pytest.mark.parametrize("name", preset_names())
def test_presets_keep_every_comment(name):
    text = arch_text(name)
    again = arch_to_toml(parse_arch(text, "a.toml"), comments_of(text))
    comments = sorted(line.partition("#")[2] for line in text.splitlines() if "#" in line)
    assert sorted(line.partition("#")[2] for line in again.splitlines() if "#" in line) == comments
    assert parse_arch(again, "a.toml") == parse_arch(text, "a.toml")


@pytest.mark.parametrize("name", [name for name in preset_names() if load_arch(name).timing is not None])
def test_every_figure_of_a_published_chip_has_its_source(name):
    comments = arch_comments(name)
    figures = {
        (*table.split("."), key)
        for table, key, value in arch_entries(load_arch(name))
        if not value.startswith('"')
        and key != "scale"  # laws have sources of their own
        and (table.partition(".")[0] in FIGURES or table in ("crossbar", "network", "core"))
    }
    assert len(figures) > 5
    by_default = {path for path in figures if path not in comments and path == ("network", "width")}
    assert figures - comments.keys() == by_default
