"""How many copies of its weights each layer gets within a budget of cores: for latency, for throughput, greedily."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from compiler.mapping.solver import Ladder, least_longest, least_sum, needed, step_by_step

Choice = Callable[[Sequence[Ladder], int], list[int]]


def copies_ladder(cores: int, rows: int, steps: int, *, even: bool = False) -> Ladder:
    """The cores of a layer with one copy, and with every number of copies that takes less time than any smaller one.

    A copy takes `cores` and makes some of the `rows`, which take `steps` each, in any unit, the same for all layers.
    With `even`, all copies have to make equally many.
    """
    if even:
        copies = [count for count in range(1, rows + 1) if rows % count == 0]
    else:
        copies, longest = [1], rows
        while longest > 1:
            copies.append(-(-rows // (longest - 1)))  # the fewest of which none makes `longest` rows
            longest = -(-rows // copies[-1])
    return Ladder([count * cores for count in copies], [-(-rows // count) * steps for count in copies])


def copies_of(ladders: Sequence[Ladder], places: Sequence[int]) -> list[int]:
    """The copies of each layer at a place of its ladder."""
    return [ladder.needs[place] // ladder.needs[0] for ladder, place in zip(ladders, places, strict=True)]


# latency: all layers run one after another. throughput: layers share the pace, so one with a quarter of the pixels of
# another one, behind a stride of 2, gets a quarter of its copies where both make their pixels in the same time: the
# balance of PIMCOMP's batch mode (HT). greedy: how Poly-Schedule (Han et al., 2021) shares out crossbars.
CHOICES: Mapping[str, Choice] = {"latency": least_sum, "throughput": least_longest, "greedy": step_by_step}


def for_writing(ladders: Sequence[Ladder], cores: int, steps: int) -> list[int]:
    """The places for the least time of each layer by itself, if writing the weights of a core takes so many `steps`.

    This is for networks that are larger than the cores, whose weights are written for every run: a layer may have all
    the cores, and pays for the writes of its copies.
    """
    return [
        min(
            (place for place, needs in enumerate(ladder.needs) if not place or needs <= cores),
            key=lambda place: (ladder.times[place] + ladder.needs[place] * steps, place),
        )
        for ladder in ladders
    ]


def least_cores(ladders: Sequence[Ladder]) -> dict[str, int]:
    """With how many cores at least the goals `throughput` and `latency` give a layer a copy; not those that never do.

    In a pipeline every layer that takes as long as the slowest one needs copies, for latency any one.
    """
    found, slowest = dict[str, int](), max((ladder.times[0] for ladder in ladders), default=1)
    faster = [place for ladder in ladders if (place := ladder.within(slowest - 1)) is not None]
    if len(faster) == len(ladders) > 0:
        found["throughput"] = needed(ladders, faster)
    steps = [ladder.needs[1] - ladder.needs[0] for ladder in ladders if len(ladder.needs) > 1]
    if steps:
        found["latency"] = needed(ladders, [0] * len(ladders)) + min(steps)
    return found
