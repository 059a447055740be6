"""Cores are loaded for their forks in parts, so that no fork carries the cores of a whole chip."""

from dataclasses import dataclass
from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from emu.errors import ProgramError
from launch.processes.core import BATCH, SMALL_PROGRAM, batches


@dataclass
class Sizes:
    """Stands in for an image: the bytes of programs; None: there is no program, or it cannot be read."""

    sizes: list[int | None]

    def program_size(self, core):
        size = self.sizes[core]
        if size is None:
            raise ProgramError(f"core {core} has no program")
        return size

    def early(self, core):
        size = self.sizes[core] or 0
        return size if size <= SMALL_PROGRAM else 0


SIZE = st.one_of(st.none(), st.integers(0, SMALL_PROGRAM), st.integers(SMALL_PROGRAM + 1, 1 << 40))


@given(st.lists(SIZE, max_size=40))
def test_parts_keep_the_order_and_fit(sizes):
    image = Sizes(sizes)
    parts = list(batches(image, range(len(sizes))))
    assert list(chain.from_iterable(parts)) == list(range(len(sizes)))
    assert all(sum(map(image.early, part)) <= BATCH for part in parts)


def test_as_few_parts_as_fit():
    image = Sizes([BATCH // 8] * 20)
    assert [len(part) for part in batches(image, range(20))] == [8, 8, 4]


def test_cores_that_load_themselves_need_no_room():
    image = Sizes([SMALL_PROGRAM + 1, None] * 100)
    assert len(list(batches(image, range(200)))) == 1
