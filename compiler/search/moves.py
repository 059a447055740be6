"""Moves: what is near a candidate, in the order in which it is tried. A new kind of move is a function and a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from compiler.basis.options import CUT, TRAFFIC
from compiler.mapping.placement.mesh import places_for, points_of, weights_of
from compiler.request import CompileRequest
from compiler.search.candidates import Candidates
from compiler.search.places import best_places
from compiler.search.space import Choice, Settings, applied, changed

SHIFTS = 6  # of copies that are tried around a candidate


@dataclass(frozen=True, slots=True)
class MoveScene:
    """Where moves are made: a request, its free choices with their values, and dice; `pause` is called now and then."""

    request: CompileRequest
    candidates: Candidates
    free: Mapping[Choice, Sequence[Any]]
    dice: Random
    pause: Callable[[], None] = lambda: None

    def may(self, name: str) -> bool:
        """Whether the option is free."""
        return any(choice.name == name for choice in self.free)


def near(scene: MoveScene, here: Settings) -> Iterator[Settings]:
    """Settings near those of a candidate, some of them perhaps twice. Raises what `pause` raises."""
    for move in MOVES:
        yield from move(scene, here)


def _one_choice(scene: MoveScene, here: Settings) -> Iterator[Settings]:
    """Another value of one option, in any order; places that are given for some programs are not those of others."""
    found: list[Settings] = []
    numbered = here.get("arrange", TRAFFIC) not in (TRAFFIC, CUT)
    for choice, values in scene.free.items():
        value = here.get(choice.name, getattr(scene.request.options, choice.name))
        for other in choice.near(values, value):
            settings = changed(scene.request, here, choice.name, other)
            renumbered = numbered and choice.name != "arrange" and scene.may("arrange")
            found.append(changed(scene.request, settings, "arrange", TRAFFIC) if renumbered else settings)
    scene.dice.shuffle(found)
    yield from found


def _other_copies(scene: MoveScene, here: Settings) -> Iterator[Settings]:
    """More copies of one layer and fewer of another one, where layers have copies."""
    if not scene.may("duplicate") or here.get("duplicate") is None:
        return
    copies = scene.candidates.copies(applied(scene.request, here))
    for _ in range(SHIFTS if len(copies) > 1 else 0):
        more, fewer = scene.dice.sample(range(len(copies)), 2)
        shifted = list(copies)
        shifted[more] += scene.dice.choice((1, copies[more]))
        shifted[fewer] = max(1, shifted[fewer] - scene.dice.choice((0, 1, shifted[fewer] // 2)))
        yield _replaced(scene, here, ",".join(map(str, shifted)))


def _replaced(scene: MoveScene, here: Settings, copies: str) -> Settings:
    numbered = here.get("arrange", TRAFFIC) not in (TRAFFIC, CUT)
    return {**here, "duplicate": copies, **({"arrange": TRAFFIC} if numbered else {})}


def _better_places(scene: MoveScene, here: Settings) -> Iterator[Settings]:
    """The cores of an arranged candidate on better places yet, if there are any."""
    if not scene.may("arrange") or here.get("arrange") != TRAFFIC:
        return
    request = applied(scene.request, {**here, "arrange": None})
    if request.arch.system.chips > 1:
        return  # these places are those of one mesh
    cores, sent = scene.candidates.traffic(request, scene.pause)
    places = places_for(request.arch.mesh_width, cores, request.cores)
    points = points_of(request.arch.mesh_width, places)
    order = best_places(weights_of(sent, cores), points, scene.dice.randrange(1 << 31))
    if order is not None:
        yield {**here, "arrange": ",".join(str(places[place]) for place in order.tolist())}


MOVES: tuple[Callable[[MoveScene, Settings], Iterator[Settings]], ...] = (_better_places, _one_choice, _other_copies)
