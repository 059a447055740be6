"""Machines whose processors round in different ways agree on one, or the one that differs is named."""

import json
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.core.products import probe
from emu.core.products.ways import WAYS
from emu.errors import InputError
from launch.machines.agreement import FUNCTIONS, agree, own_bits
from launch.processes.interpreter import child_environment

NAMES = [way.name for way in WAYS]


def told(*digests, functions="f"):
    """What a machine tells whose ways have these digests; None for one that has not its own bits."""
    return {name: each for name, each in zip(NAMES, digests, strict=True) if each is not None} | {FUNCTIONS: functions}


def test_all_have_the_bits_of_the_launcher_if_they_can():
    ways = agree({"the launcher": told("a", "a", "c"), "h1": told(None, "a", "c"), "h2": told("c", "a", "c")})
    assert ways == {"the launcher": NAMES[0], "h1": NAMES[1], "h2": NAMES[1]}


def test_else_the_next_ones_that_all_have():
    ways = agree({"the launcher": told("a", "a", "c"), "h1": told("c", "c", "c")})
    assert ways == {"the launcher": NAMES[2], "h1": NAMES[0]}


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (told("b", None, "d"), "h2 has no way of multiplying whose bits are those of the launcher"),
        (told("a", "a", "c", functions="g"), "h2 computes exponentials and other functions with other bits"),
    ],
)
def test_who_differs_is_named(other, said):
    with pytest.raises(InputError, match=said):
        agree({"the launcher": told("a", "a", "c"), "h1": told("a", None, None), "h2": other})


DIGEST = st.sampled_from([None, "a", "b", "c"])


@given(st.lists(st.tuples(DIGEST, DIGEST, DIGEST), min_size=1, max_size=4))
def test_whoever_agrees_has_equal_bits(machines):
    tells = {f"h{number}": told(*digests) for number, digests in enumerate(machines)}
    common = set.intersection(*({each for each in digests if each} for digests in machines))
    try:
        ways = agree(tells)
    except InputError:
        assert not common
        return
    assert len({tells[name][way] for name, way in ways.items()}) <= 1
    assert bool(ways) == bool(common)


def test_a_way_that_was_told_is_taken():
    try:
        assert not probe.choose(probe.fastest().name)
        assert probe.choose(WAYS[-1].name)
        assert probe.chosen() is WAYS[-1]
    finally:
        probe.choose("")
    assert probe.chosen() is probe.fastest()


def test_kinds_of_a_processor_tell_bits_of_their_own():
    text = "import json; from launch.machines.agreement import own_bits; print(json.dumps(own_bits()))"
    found = {}
    for kind in ("Haswell", "Sandybridge"):
        environment = {**child_environment(), "OPENBLAS_CORETYPE": kind}
        answer = subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, check=True)
        found[kind] = json.loads(answer.stdout)
    assert own_bits().keys() >= {NAMES[-1], FUNCTIONS}
    if os.uname().machine == "x86_64":
        assert len(set(agree({"the launcher": own_bits(), **found}).values())) >= 1
