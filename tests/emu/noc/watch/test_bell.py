"""Bells wake whoever sleeps at them, in another process, too, whether they ring before or after."""

import mmap
import os
import time

import numpy as np
import pytest

from emu.noc.watch.bell import BELL, bell_at

NAP = 0.05  # seconds


@pytest.fixture
def bells():
    words = np.frombuffer(mmap.mmap(-1, 3 * 8 * BELL), np.int64)
    made = [bell_at(words, BELL * k) for k in range(3)]
    for bell in made:
        bell.hang()
    return made


def test_a_bell_wakes_another_process(bells):
    asked, answered, _ = bells
    child = os.fork()
    if not child:
        for _ in range(3):
            asked.hear()
            answered.ring()
        os._exit(0)
    time.sleep(NAP)  # it sleeps, perhaps
    for _ in range(3):
        asked.ring()
        answered.hear()
    assert os.waitpid(child, 0)[1] == 0


def test_who_comes_late_has_heard_every_ring_of_its_bell_and_of_no_other(bells):
    bell, _, other = bells
    bell.ring()
    bell.ring()
    other.ring()
    other.fence()  # takes what it rings
    bell.hear()
    bell.hear()
    other.hear()
    child = os.fork()
    if not child:
        bell.hear()
        os._exit(0)
    time.sleep(NAP)
    assert os.waitpid(child, os.WNOHANG) == (0, 0)  # nothing is left to be heard
    bell.ring()
    assert os.waitpid(child, 0)[1] == 0
