"""Specifications of chaos: what can be written, and the sentence for what cannot."""

import signal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.chaos.kinds import KINDS, SIGNALS
from emu.chaos.spec import Chaos, ChaosSpec, ChaosTarget, parse
from emu.errors import InputError

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize(
    ("text", "target", "numbers"),
    [
        ("delay:0.1,2.5", None, (0.1, 2.5)),
        ("reorder-start", None, (5.0,)),
        ("reorder-start:1", None, (1.0,)),
        ("pause:*,20", ChaosTarget("*"), (20.0,)),
        ("pause:3@4,20", ChaosTarget("3", (4, 4)), (20.0,)),
        ("slow:random,3", ChaosTarget("random"), (3.0,)),
        ("yield:1", None, (1.0,)),
        ("nice", None, ()),
        ("kill", ChaosTarget("random"), (float(signal.SIGKILL),)),
        ("kill:7@3", ChaosTarget("7", (3, 3)), (float(signal.SIGKILL),)),
        ("kill:random@5-90,segv", ChaosTarget("random", (5, 90)), (float(signal.SIGSEGV),)),
        ("kill:0,SIGBUS", ChaosTarget("0"), (float(signal.SIGBUS),)),
        ("drop:2@0", ChaosTarget("2", (0, 0)), ()),
        ("drop-credit", ChaosTarget("random"), ()),
        ("duplicate:0", None, (0.0,)),
        ("corrupt:*", ChaosTarget("*"), ()),
    ],
)
def test_what_can_be_written(text, target, numbers):
    assert parse(text) == ChaosSpec(KINDS[text.partition(":")[0]], target, numbers, text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is of no known kind: use one of delay, reorder-start, pause"),
        ("crash:1", "'crash:1' is of no known kind"),
        ("delay", "P is missing: write it as delay:P,MS"),
        ("delay:0.1", "MS is missing"),
        ("delay:1.5,2", "P is a probability from 0 to 1, not '1.5': write it as delay:P,MS"),
        ("delay:nan,2", "P is a probability"),
        ("delay:0.1,0", "MS is a time of more than 0"),
        ("delay:0.1,inf", "MS is a time of more than 0"),
        ("delay:0.1,2,3", "'3' is too much"),
        ("nice:", "'' is too much"),
        ("pause:*", "MS is missing: write it as pause:CORE[@N],MS"),
        ("pause:x,5", "'x' is no core: give its number, * (each) or random (one)"),
        ("pause:-1,5", "'-1' is no core"),
        ("pause:²,5", "'²' is no core"),
        ("kill:3@", "'3@' is no core"),
        ("kill:3@9-4", "@9-4 ends before it begins"),
        ("kill:3,STOP", "SIGNAL is one of KILL, SEGV"),
        ("slow:3@4,2", "it lasts, so that no @N belongs to it: write it as slow:CORE,FACTOR"),
        ("slow:3,1", "FACTOR is a number greater than 1"),
        ("drop:1@2,3", "'3' is too much"),
    ],
)
def test_what_cannot_be_written_is_told(text, sentence):
    with pytest.raises(InputError) as error:
        Chaos((text,))
    assert sentence in str(error.value) and "\n" not in str(error.value) and error.value.exit_code == 2


@given(
    st.text(max_size=30)
    | st.tuples(st.sampled_from(list(KINDS)), st.text("0123456789.,:@-*randomSEGV", max_size=12)).map(":".join)
)
def test_any_text_is_a_specification_or_an_input_error(text):
    try:
        found = parse(text)
    except InputError:
        return
    assert found.text == text and len(found.numbers) == len(found.kind.parameters)


def test_signals_end_a_process():
    assert all(signal.Signals[f"SIG{name}"] for name in SIGNALS)


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_every_kind_is_in_the_documentation(kind):
    assert f"| `{kind.form}` |" in (DOCS / "stress.md").read_text()
    assert f"`{kind.name}`" in (DOCS / "communication.md").read_text().partition("## Chaos")[2]
