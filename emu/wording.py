"""Wording of messages: nouns with counts, and the known word most like a misspelt one."""

from __future__ import annotations

from collections.abc import Iterable

_ES = ("s", "x", "z", "ch", "sh")  # ends of nouns whose plural has an e


def counted(count: int, noun: str, plural: str = "") -> str:
    """`1 core`, `2 cores`: the number with its noun; `plural` where it is not the noun with (e)s."""
    if count == 1:
        return f"1 {noun}"
    return f"{count} {plural or noun + ('es' if noun.endswith(_ES) else 's')}"


def core_name(core: int) -> str:
    """What a core is called, and its process, where nothing says on which machine it is."""
    return f"core {core}"


def nearest(word: str, known: Iterable[str]) -> str:
    """A suggestion to append to an error about `word`, or nothing; upper and lower case count as the same."""
    import difflib  # few processes ever suggest something

    by_lower = {name.lower(): name for name in known}
    close = difflib.get_close_matches(word.lower(), by_lower, 1, 0.5)
    return f"; did you mean {by_lower[close[0]]!r}?" if close else ""


def visible(text: str) -> str:
    """The text in one line, all that is not printable as Python writes it: `\\n`, `\\x1b`."""
    return "".join(letter if letter.isprintable() else escaped(letter) for letter in text)


def escaped(letter: str) -> str:
    """A letter as Python writes it."""
    return letter.encode("unicode_escape").decode("ascii")


def address_text(address: int) -> str:
    """An address as in the text of programs: `0x0040`, `-0x0004`."""
    return f"{'-' if address < 0 else ''}0x{abs(address):04x}"
