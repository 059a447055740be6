"""Damages the text of a stage as edits by hand do: numbers, names, types, attributes, values and lines."""

import re
from random import Random

WORD = re.compile(r"[-\w.]+")
NUMBER = re.compile(r"(?<![\w.%#])-?\d+(?![\w.])")
DIGITS = re.compile(r"\d+")
VALUE = re.compile(r"%\w+")
TYPE = re.compile(r"(?:tensor|memref)<[^>]*>")
SIZE = re.compile(r"(?<=[ <x])\d+(?=[x,> ])")
REAL = re.compile(r"-?\d\.\d+(?:e[-+]\d+)?")
ELEMENT = re.compile(r"(?<=[x<])(?:f32|i8|f16|i64|ui8)(?=>)")
PROPERTY = re.compile(r"\w+ = (?:\[[-\d, ]*\]|<[^<>\n]*>|-?\d+(?![\w.])|\"[^\"]*\"|-?\d\.\d+(?:e[-+]\d+)?)(?:, )?")
ARRAY = re.compile(r"(?<=\[)-?\d[-\d, ]*(?=\])")
ITEMS = re.compile(r"(?<= = <)[^<>\n]+(?=>)")  # of a list in words of its own
OPERANDS = re.compile(r"(?<=\()%\w+(?:, %\w+)+(?=\))")


def _replaced(text: str, match: re.Match[str], by: str) -> str:
    return text[: match.start()] + by + text[match.end() :]


def _near(rng: Random, number: int) -> int:
    return rng.choice([0, 1, number + 1, abs(number - 1), 2 * number])


def _one(text: str, rng: Random, what: re.Pattern[str], by) -> str:
    places = list(what.finditer(text))
    return text if not places else _replaced(text, place := rng.choice(places), by(place[0]))


def _everywhere(text: str, rng: Random, what: re.Pattern[str], by) -> str:
    places = what.findall(text)
    if not places:
        return text
    old = rng.choice(places)
    new = by(old)
    return what.sub(lambda place: new if place[0] == old else place[0], text)


def _taken(text: str, rng: Random, what: re.Pattern[str]):
    """Another piece of the text of that kind."""
    return lambda old: rng.choice(what.findall(text))


def _value_of(text: str, rng: Random):
    """The value of another property."""
    return lambda old: f"{old.split(' = ')[0]} = {rng.choice(PROPERTY.findall(text)).split(' = ', 1)[1]}"


def _array(rng: Random):
    def change(old: str) -> str:
        numbers = old.split(", ")
        at = rng.randrange(len(numbers))
        step = rng.choice([-2, -1, 0, 1, 2, 10])
        numbers[at : at + 1] = [numbers[at]] * rng.choice([0, 2]) if not step else [str(int(numbers[at]) + step)]
        return ", ".join(numbers)

    return change


def _shuffled(rng: Random):
    return lambda old: ", ".join(rng.sample(old.split(", "), old.count(",") + 1))


def _lines(text: str, rng: Random) -> str:
    lines = text.split("\n")
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.choice(["delete", "double", "swap"])
    if kind == "delete":
        del lines[one]
    elif kind == "double":
        lines.insert(other, lines[one])
    else:
        lines[one], lines[other] = lines[other], lines[one]
    return "\n".join(lines)


KINDS = (
    lambda text, rng: _one(text, rng, NUMBER, lambda old: str(rng.choice([-1, 1 << 40, _near(rng, int(old))]))),
    lambda text, rng: _one(text, rng, WORD, _taken(text, rng, WORD)),
    lambda text, rng: _one(text, rng, DIGITS, lambda old: str(_near(rng, int(old)))),
    lambda text, rng: _everywhere(text, rng, SIZE, lambda old: str(_near(rng, int(old)))),
    lambda text, rng: _one(text, rng, VALUE, _taken(text, rng, VALUE)),
    lambda text, rng: _one(text, rng, TYPE, _taken(text, rng, TYPE)),
    lambda text, rng: _everywhere(text, rng, TYPE, _taken(text, rng, TYPE)),
    lambda text, rng: _everywhere(text, rng, TYPE, lambda old: DIGITS.sub(str(rng.randrange(8)), old, count=1)),
    lambda text, rng: _one(text, rng, PROPERTY, lambda old: ""),
    lambda text, rng: _one(text, rng, PROPERTY, _value_of(text, rng)),
    lambda text, rng: _one(text, rng, ARRAY, _array(rng)),
    lambda text, rng: _one(text, rng, ITEMS, _shuffled(rng)),
    lambda text, rng: _one(text, rng, ITEMS, _taken(text, rng, ITEMS)),
    lambda text, rng: _one(text, rng, OPERANDS, _shuffled(rng)),
    lambda text, rng: _one(
        text, rng, REAL, lambda old: rng.choice(["1.0e39", "-1.0e300", "0.0", "0x7FF0000000000000"])
    ),
    lambda text, rng: _everywhere(text, rng, ELEMENT, lambda old: rng.choice(["f16", "i8", "f64", "i1", "index"])),
    _lines,
)


def damaged(text: str, rng: Random) -> str:
    """`text` with one or two edits."""
    for _ in range(rng.choice([1, 1, 1, 2])):
        text = rng.choice(KINDS)(text, rng)
    return text
