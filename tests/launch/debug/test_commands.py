"""What every command answers, and what it refuses."""

import re

import numpy as np
import pytest
from debug_shells import answers, rich_image, shell_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from emu.errors import InputError
from launch.debug import golden
from launch.debug.listing import LISTS
from launch.debug.table import BY_NAME, COMMANDS, help_lines
from launch.golden.golden_process import GoldenError


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    return rich_image(tmp_path_factory.mktemp("rich"))


@pytest.fixture
def shell(image):
    with shell_of(image) as shell:
        yield shell


def test_steps_and_places(shell):
    assert answers(shell, "step") == ["core 0 at init[1] sync core 1, event 0"]
    assert answers(shell, "run 0")[0] == "sample 0 is about to begin"
    assert answers(shell, "s 3") == [
        "core 0 at main[5] saddi r1, r1, 1 (sample 0, loops [0, 0], node inner)",
    ]
    assert answers(shell, "until core 0 main:6@2,1 sample 0") == [
        "core 0 at main[6] lmv l[0x0040 + r1], l[0x0000], 4 (sample 0, loops [2, 1], node inner)"
    ]
    assert answers(shell, "where") == [
        "core 0 at main[6] lmv l[0x0040 + r1], l[0x0000], 4 (sample 0, loops [2, 1], node inner)",
        "  writes dst: local 0x0046 to 0x004a, 4 bytes",
        "  reads src: local 0x0000 to 0x0004, 4 bytes",
        "  #0 in main[3] loop i1: iteration 2 of 2 (counter 1)",
        "  #1 in main[2] loop i0: iteration 3 of 3 (counter 2)",
    ]
    assert answers(shell, "p counters()") == ["(2, 1)"]
    assert answers(shell, "p reg(0, 1)") == ["6"]
    assert answers(shell, "registers")[0].startswith("r0 0  r1 6  ")
    assert answers(shell, "leave") == [
        "core 0 at main[7] xbwrite.i8 l[0x0100 + i0], group 0, row 0, rows 1 (sample 0, loops [2], node inner)"
    ]
    assert answers(shell, "where 0")[2] == "  group 0: 2 rows x 2 columns of i8"
    assert answers(shell, "crossbar 0 0")[1:] == ["int8[2, 2]", "[[2, 3],", " [3, 4]]"]
    assert answers(shell, "next", "crossbar 0 0")[2:] == ["[[3, 4],", " [3, 4]]"]
    assert answers(shell, "back", "crossbar 0 0")[2:] == ["[[2, 3],", " [3, 4]]"]
    assert answers(shell, "p crossbar(0, 0)[0] + 1")[1:] == ["[3, 4]"]
    assert answers(shell, "back stop")[-1].startswith("core 0 at main[6] ")
    assert answers(shell, "continue") == ["the end: 1 sample is through"]
    assert answers(shell, "where") == ["core 0 has halted (sample 0)"]
    assert answers(shell, "core 1", "back") == ["core 1 at main[6] st g[0x0010], l[0x0000], 16 (sample 0)"]


def test_breakpoints(shell):
    assert answers(shell, "break core 1 main[4]") == ["breakpoint 1: core 1 main[4]"]
    assert answers(shell, "watch read 1 0x20 4") == ["breakpoint 2: watch read 1 0x20 4"]
    assert answers(shell, "break message 0:1:3") == ["breakpoint 3: message 0:1:3"]
    assert answers(shell, "info breakpoints") == ["1: core 1 main[4]", "2: watch read 1 0x20 4", "3: message 0:1:3"]
    assert answers(shell, "c")[0] == "breakpoint 1: core 1 main[4]; breakpoint 2: watch read 1 0x20 4"
    assert answers(shell, "delete 1", "c")[0] == "breakpoint 2: watch read 1 0x20 4"
    assert answers(shell, "delete 2", "c") == [
        "breakpoint 3: message 0:1:3",
        "core 0 at main[13] send core 1, l[0x0200], 8 (sample 0, node end)",
    ]
    assert answers(shell, "delete", "info breakpoints") == ["there are no breakpoints"]
    assert answers(shell, "watch y", "run 0", "c")[0] == "breakpoint 4: watch y"
    assert answers(shell, "where")[1] == "  writes dst: global 0x0010 to 0x0020, 16 bytes, y[0, 0]"


def test_conditions_in_words_of_their_own(shell):
    assert answers(shell, "until core 0 main:4 if counters() == (2, 1)")[0].startswith("core 0 at main[4] vsadd.i32 ")
    assert answers(shell, "p counters()") == ["(2, 1)"]
    line = "core 1 main:3 if counters()[0] == 1"
    assert answers(shell, f"break {line}") == [f"breakpoint 1: {line}"]
    assert answers(shell, "run 0", "c")[0] == f"breakpoint 1: {line}"  # the core in question, not the one in focus
    assert answers(shell, "p counters()") == ["(1,)"]
    assert answers(shell, "c") == ["the end: 1 sample is through"]
    answers(shell, "delete", 'watch write y if tensor("y")[0, 0] == 1', "run 0")
    told = answers(shell, "c")[0]
    assert (
        told.startswith("breakpoint 2: watch write y if ")
        and "`if` cannot be decided: tensor 'y' is not stored" in told
    )
    assert answers(shell, "delete", "run 0", "until core 1 main:6 if tensor('y')")[0].startswith(
        "`if` cannot be decided: "
    )
    for command, why in (("break core 0 if 1 +", "is no expression"), ("watch y if", "is too much")):
        with pytest.raises(InputError, match=why):
            answers(shell, command)


def test_memories_and_tensors(shell):
    with pytest.raises(InputError, match="no sample is under way"):
        answers(shell, "show x")
    assert answers(shell, "mem 0 0x100 9") == ["0x000100:  1  2  3  4  5  6  7  8", "0x000108: --"]
    assert answers(shell, "run 0", "mem global 0 4 i32") != []
    x = answers(shell, "p tensor('x')")[1]
    assert answers(shell, "p mem('global', 0, 4, 'i32')") == ["int32[4]", x[1:-1]]
    assert answers(shell, "info tensors") == [
        "x  int32[1, 4]    global memory  stored",
        "y  int32[1, 4]    global memory  16 bytes not stored yet",
    ]
    with pytest.raises(InputError, match="tensor 'y' is not stored yet: 16 bytes not stored yet"):
        answers(shell, "p tensor('y')")
    with pytest.raises(InputError, match=re.escape("element 8 of mem(...) is undefined")):
        answers(shell, "p mem(0, 0x100, 9)")
    assert answers(shell, "c", "show y now")[0] == "y, as it stands there now"
    with pytest.raises(InputError, match="not compiled from a model"):
        answers(shell, "p golden('y')")


def test_an_evaluator_that_fails_ends_its_command_only(shell, monkeypatch):
    def fail(*_):
        raise GoldenError("it died")

    monkeypatch.setattr(golden, "choose_golden", fail)
    with pytest.raises(InputError, match="it died"):
        answers(shell, "run 0", "p golden('y')")


def test_programs(shell):
    assert answers(shell, "run 0", "list 2") == [
        "-> main[0] ld l[0x0000], g[0x0000], 16",
        "   main[1] sldi r1, 0",
        "   main[2] loop i0 3 { ; to 9",
    ]
    assert any("main[7]" in line and "xbwrite" in line for line in answers(shell, "disasm main"))
    assert answers(shell, "disasm 1")[0] == "core 1 {"
    assert answers(shell, "info nodes") == ["begin  core 0", "inner  core 0", "end    core 0"]
    assert answers(shell, "info samples")[0].startswith("1 sample, 0 through; sample 0 is under way; ")
    assert answers(shell, "info cores")[0].startswith("* core 0 at main[0] ld ")


def test_who_waits(shell):
    answers(shell, "run 0", "until core 0 main:9")
    assert answers(shell, "waits") == [
        "1 of 2 cores run, 1 wait, 0 are over",
        "core 1 waits for message 0 from core 0 at main[3] recv (sample 0, loops [0])",
    ]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("stp", "there is no command 'stp'; did you mean 'step'?"),
        ("d 7", "there is no breakpoint 7: there are none"),
        ("c now", "'now' is too much: it is written `continue`"),
        ("step 0", "the number of instructions '0' is no whole number from 1 on"),
        ("step -1", "'-1' is no whole number"),
        ("core 7", "core 7 has no program: the first cores with one are 0, 1"),
        ("run 1", "there is no sample 1: the samples are 0 to 0"),
        ("back", "core 0 has begun no instruction yet"),
        ("back stop", "there is no earlier stop"),
        ("leave", "stands in no loop"),
        ("break", "a place is missing: it is written `break SPOT [if EXPRESSION]`"),
        ("break main:99", "there is no main[99]: all cores have at most 15 instructions there"),
        ("break core 1 main:9", "there is no main[9]: core 1 has 7 instructions there"),
        ("break core 0 main:2", "main[2] is a loop, on which no core stands"),
        ("break nod inner", "'nod' is no place to stop at; did you mean 'node'?"),
        ("break node iner", "no instruction comes from a node 'iner'; did you mean 'inner'?"),
        ("break message 0-1", "message '0-1' is not FROM:TO"),
        ("break message 0:9", "core 9 has no program"),
        ("break read 0 0xffffffff 4", "are outside of a memory of"),
        ("break 'x", "no closing quotation"),
        ("watch z", "there is no tensor or node 'z'"),
        ("watch global 0x100000 4", "are outside of a memory of"),
        ("watch", "a tensor, or a memory is missing"),
        ("mem 0 0 4 f31", "type 'f31' is unknown"),
        ("mem 0 0 99999 f32", "are too many, or outside"),
        ("mem global 0 4", "no sample is under way"),
        ("crossbar 0 1", "core 0 has no array group 1: it has 1"),
        ("info core", "there is no list of 'core'; did you mean 'cores'?"),
        ("help stp", "there is no command 'stp'"),
        ("print", "an expression is missing"),
        ("print tensor(1)", "takes a name in quotes, not 1"),
        ("print reg(0, 99)", "there is no register 99"),
        ("print reg(9, 0)", "core 9 has no program"),
        ("print mem(0, -1, 2)", "-1 is no whole number"),
        ("print tensor()", "cannot be computed"),
        ("w 0 0", "'0' is too much"),
    ],
)
def test_refusals(shell, line, why):
    with pytest.raises(InputError) as error:
        answers(shell, line)
    assert why in str(error.value)
    assert answers(shell, "info breakpoints") == ["there are no breakpoints"]


WORDS = [
    "0",
    "1",
    "7",
    "-1",
    "9" * 30,
    "0x10",
    "core",
    "main:4",
    "main:4@1",
    "main[99]",
    "init:0",
    "node",
    "inner",
    "read",
]
WORDS += [
    "write",
    "access",
    "x",
    "y",
    "global",
    "i32",
    "f31",
    "message",
    "0:1",
    "*:*",
    "0:1:2",
    "sample",
    "init",
    "stop",
]
WORDS += ["if", "counters()", "tensor('x')", "golden('y')", "reg(0,1)", "1 +", "now", *LISTS, "main", "'", '"', "@"]


@given(st.sampled_from(sorted(set(BY_NAME) - {"quit", "q", "exit"})), st.lists(st.sampled_from(WORDS), max_size=4))
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_words_are_answered_or_refused_in_one_sentence(shell, name, words):
    try:
        assert all("\n" not in line for line in answers(shell, " ".join((name, *words))))
    except InputError as error:
        assert "\n" not in str(error)


def test_shortened_and_repeated(shell):
    assert answers(shell, "st") == answers(shell, "back", "step")
    with pytest.raises(InputError, match="'wa' may be watch, waits: write more of it"):
        answers(shell, "wa")
    list(shell.execute("step 1"))
    assert shell.repeated("") == "step 1" and shell.repeated("where") == "where"
    list(shell.execute("where"))
    assert shell.repeated("") == ""


def test_help_tells_of_every_command():
    lines = list(help_lines())
    for row in COMMANDS:
        assert any(line.startswith(row.name) and row.summary in line for line in lines)
        assert next(help_lines(row.name)) == row.usage
        assert all(next(help_lines(alias)) == row.usage for alias in row.aliases)
    names = [name for row in COMMANDS for name in (row.name, *row.aliases)]
    assert len(set(names)) == len(names)


def test_completion(shell):
    assert shell.completions("", "st") == ["step"]
    assert shell.completions("show ", "") == ["x", "y"]
    assert shell.completions("break core ", "") == ["0", "1"]
    assert shell.completions("break core 0 node ", "i") == ["inner"]
    assert shell.completions("b read ", "g") == ["global"]
    assert shell.completions("print tensor(", "x") == ["x"]
    assert "unravel_index" in shell.completions("print ", "unr")
    assert shell.completions("disasm ", "m") == ["main"]
    assert shell.completions("info ", "t") == ["tensors"]
    assert shell.completions("help ", "wat") == ["watch"]
    assert shell.completions("nothing ", "") == []


def test_every_completion_can_be_asked_for(shell):
    for row in COMMANDS:
        for words in ([], ["core"], ["x"]):
            assert isinstance(list(row.complete(shell.debugger, words)), list)


FIXED = """arch tiny
global 64
output "y" f32[1, 2] at 0x00
readonly "w" f32[3] at 0x20 from "w.npy"
core 0 {
  buffer "t" f32[1, 2] extent 2 1 1 layout 1 C at 0x00 complete 1
  main {
    @ "load"
    ld l[0x00], g[0x24], 8
    @ "store"
    st g[0x00], l[0x00], 8
  }
}
"""


def test_read_only_and_complete_tensors(tmp_path):
    np.save(tmp_path / "w.npy", np.array([1, 2, 3], np.float32))
    with shell_of(rich_image(tmp_path, FIXED)) as shell:
        with pytest.raises(InputError, match="read-only tensor 'w' can be read once a sample is under way"):
            answers(shell, "show w")
        assert answers(shell, "run 0", "show w") == ["w, read-only", "float32[3]", "[1., 2., 3.]"]
        assert answers(shell, "where")[1:3] == [
            "  writes dst: local 0x0000 to 0x0008, 8 bytes, t[0, 0]",
            "  reads src: global 0x0024 to 0x002c, 8 bytes, w (read-only)",
        ]
        with pytest.raises(InputError, match="tensor 't' is not complete yet: core 0 has its part before main"):
            answers(shell, "p tensor('t')")
        assert answers(shell, "p now('t')") == ["float32[1, 2]", "[[0., 0.]]"]
        assert answers(shell, "step", "p tensor('t')") == ["float32[1, 2]", "[[2., 3.]]"]
        assert answers(shell, "mem global 0x18 4 f32") == ["0x000018:  --  -- 1.0 2.0"]
        answers(shell, "break read w", "run 0")
        assert answers(shell, "c")[0] == "breakpoint 1: read w"
        assert answers(shell, "c", "show t", "p tensor('y')") == ["float32[1, 2]", "[[2., 3.]]"]
