"""Damaged files of every kind meet one sentence: no traceback, no hang, nothing outside of their directory."""

import random
from pathlib import Path

import hostile
import pytest
from hostile import Guard, Tally, Target, attack
from mutations import BINARY, JSON, MSGPACK, TEXT, mutate

from emu.errors import InputError


@pytest.fixture(scope="module")
def guard(tmp_path_factory: pytest.TempPathFactory) -> Guard:
    return Guard(tmp_path_factory.getbasetemp())


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hostile.compiled_image(tmp_path_factory.mktemp("hostile") / "out")


def failures(tallies: dict[str, Tally]) -> list[str]:
    return [text for tally in tallies.values() for text in tally.failures]


def test_some_damaged_files(tmp_path: Path, image: Path, guard: Guard) -> None:
    tallies = hostile.campaign(tmp_path, image, seed=3, count=60, guard=guard)
    assert not failures(tallies)
    assert all(tally.refused for tally in tallies.values())  # they do reach the loaders' checks
    assert sum(tally.accepted for tally in tallies.values()) > 5  # and some pass them


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_many_damaged_files(tmp_path: Path, image: Path, guard: Guard) -> None:
    tallies = hostile.campaign(tmp_path, image, seed=4, count=25_300, guard=guard)
    assert not failures(tallies)


def load_badly(directory: Path) -> None:
    raise ValueError("a traceback")


def write_elsewhere(directory: Path) -> None:
    (directory.parent / "elsewhere").write_text("x")


def read_elsewhere(directory: Path) -> None:
    Path("/etc/hostname").exists() and Path("/etc/passwd").read_bytes()


def tell_a_story(directory: Path) -> None:
    raise InputError("")


@pytest.mark.parametrize("load", [load_badly, write_elsewhere, read_elsewhere, tell_a_story])
def test_the_guard_finds_what_it_looks_for(tmp_path: Path, guard: Guard, load, monkeypatch) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    monkeypatch.setattr(guard, "inside", str(inside))
    path = inside / "file"
    path.write_bytes(b"content")
    calls = iter([lambda directory: None])  # the undamaged file loads
    target = Target(path, b"content", BINARY, lambda: next(calls, load)(inside))
    tally = attack("test", [target], 0, 3, guard)
    assert len(tally.failures) == 3 and path.read_bytes() == b"content"


def test_a_hang_is_found(tmp_path: Path, guard: Guard, monkeypatch) -> None:
    monkeypatch.setattr("hostile.HANG", 1)
    path = tmp_path / "file"
    path.write_bytes(b"content")

    loads: list[int] = []

    def load() -> None:  # the undamaged file loads
        loads.append(1)
        while len(loads) > 1:
            pass

    tally = attack("test", [Target(path, b"content", BINARY, load)], 0, 1, guard)
    assert "Hang: not done after 1 s" in tally.failures[0]


def test_a_file_that_takes_memory_is_found(tmp_path: Path, guard: Guard, monkeypatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"content")
    sizes = iter([0, 1 << 20, 1 << 20, 1 << 31])  # before and after each of two files
    monkeypatch.setattr("hostile.peak", lambda: next(sizes, 1 << 31))
    tally = attack("test", [Target(path, b"content", BINARY, lambda: None)], 0, 2, guard)
    assert len(tally.failures) == 1 and "took 2047 MiB" in tally.failures[0]


def test_mutations_change_and_repeat_by_seed() -> None:
    for mutators, content in (
        (BINARY, b"abc" * 9),
        (TEXT, b"a = 1\nb = 2\n"),
        (JSON, b'{"a": [1, {"b": 2}]}'),
        (MSGPACK, b"\x80"),
    ):
        first = [mutate(random.Random(k), content, mutators) for k in range(200)]
        assert content not in first and len(set(first)) > 50
        assert first == [mutate(random.Random(k), content, mutators) for k in range(200)]


def test_sentences_are_one_line_of_bounded_length() -> None:
    text = str(InputError("x.json: bad\nkey " + "y" * 5000 + ": end"))
    assert "\n" not in text and len(text) < 1000 and text.startswith("x.json: bad key y") and text.endswith(": end")
    assert str(InputError("short")) == "short"
