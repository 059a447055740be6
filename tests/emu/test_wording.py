"""Counted nouns and suggestions."""

import pytest

from emu.wording import counted, nearest


@pytest.mark.parametrize(
    ("count", "noun", "text"),
    [
        (1, "core", "1 core"),
        (0, "core", "0 cores"),
        (2, "core process", "2 core processes"),
        (1, "core process", "1 core process"),
        (3, "crossbar", "3 crossbars"),
        (5, "match", "5 matches"),
    ],
)
def test_counted(count: int, noun: str, text: str) -> None:
    assert counted(count, noun) == text


def test_counted_with_its_own_plural() -> None:
    assert (counted(1, "loss", "losses"), counted(4, "more was", "more were")) == ("1 loss", "4 more were")


@pytest.mark.parametrize(("word", "found"), [("Lenet5", "lenet5"), ("RESNET", "resnet18"), ("comple", "compile")])
def test_nearest_suggests(word: str, found: str) -> None:
    assert nearest(word, ["lenet5", "resnet18", "compile"]) == f"; did you mean {found!r}?"


def test_nearest_is_silent_about_strangers() -> None:
    assert nearest("zzz", ["lenet5", "resnet18"]) == ""
