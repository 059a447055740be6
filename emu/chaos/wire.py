"""Disturbances of messages: lost, doubled, damaged ones, and acknowledgements that are never sent."""

from __future__ import annotations

from emu.chaos.effects import Effect, Frames


class Drop(Effect):
    """Message `at` of the core is lost: the sender has sent it, nobody will get it."""

    def sends(self, number: int, messages: Frames) -> Frames:
        """Nothing goes out."""
        if number != self.at or not messages:
            return messages
        self.happened()
        return []


class DropCredit(Effect):
    """The acknowledgement of message `at` that the core takes is lost."""

    def takes(self, number: int) -> bool:
        """Not acknowledged."""
        if number != self.at:
            return True
        self.happened()
        return False


class Duplicate(Effect):
    """With probability P, a message goes out twice."""

    def sends(self, number: int, messages: Frames) -> Frames:
        """Perhaps both."""
        if self.rng.random() >= self.numbers[0] or not messages:
            return messages
        self.happened()
        return messages * 2


class Corrupt(Effect):
    """One byte of the header of message `at` of the core is another one."""

    def sends(self, number: int, messages: Frames) -> Frames:
        """The first copy is damaged."""
        if number != self.at or not messages:
            return messages
        self.happened()
        (header, payload), *others = messages
        place, flips = self.rng.randrange(len(header)), self.rng.randint(1, 255)
        damaged = header[:place] + bytes((header[place] ^ flips,)) + header[place + 1 :]
        return [(damaged, payload), *others]
