"""Random program sets that talk by messages, events and global memory: many are right, many are nearly right."""

from __future__ import annotations

from random import Random

from emu.asm.assembler import check_program_set
from emu.asm.program_set import ProgramSet
from emu.asm.set_parser import parse_program_set

SLOTS, RESULTS = 32, 160  # global addresses: bytes handed over, and what every core stores at last
EVENTS = 3
TALK = ("send", "recv", "sync", "wait")
INPUT = 32  # bytes
HEAD = """arch tiny
global 256
input "x" i32[1, 8] at 0x00
output "y" i32[1, {outputs}] at {results}
"""


class Generator:
    """One program set; everything is drawn from `random`."""

    def __init__(self, random: Random) -> None:
        self.random, self.cores = random, random.randint(2, 4)
        self.init: dict[int, list[str]] = {core: [] for core in range(self.cores)}
        self.main: dict[int, list[str]] = {core: self._begin(core) for core in range(self.cores)}
        self.slot = 0
        self.shares = random.random() < 0.5  # global memory: then a disturbed set mostly depends on timing

    def text(self) -> str:
        """The set as assembly text."""
        random = self.random
        for _ in range(random.randint(0, 2)):
            self._prepare()
        kinds = [self._message, self._message, self._event, self._loop]
        for _ in range(random.randint(1, 7)):
            random.choice([*kinds, self._hand_over, self._gather] if self.shares else kinds)()
        for core in range(self.cores):
            if random.random() < 0.3:
                self.main[core].insert(random.randrange(2, len(self.main[core]) + 1), self._slow())
        for core, lines in self.main.items():
            lines.append(f"st g[{RESULTS + 8 * core}], l[0], 8")
        for _ in range(random.choice([0, 0, 0, 1] if self.shares else [0, 1, 2, 3])):
            self._disturb()
        return self._written()

    def _written(self) -> str:
        parts = [HEAD.format(outputs=2 * self.cores, results=RESULTS)]
        for core in range(self.cores):
            init, main = "\n".join(self.init[core]), "\n".join(self.main[core])
            parts.append(f"core {core} {{\ninit {{\nlldi l[32], 1, 8\n{init}\n}}\nmain {{\n{main}\n}}\n}}\n")
        return "".join(parts)

    def _begin(self, core: int) -> list[str]:
        return [f"ld l[0], g[{8 * core}], 8", "lldi l[16], 0, 8"]

    def _slow(self) -> str:
        return f"loop a {self.random.choice([10, 100])} {{\nvsadd.i32 l[16], l[16], 2, 1\n}}"

    def _pair(self) -> tuple[int, int]:
        first, second = self.random.sample(range(self.cores), 2)
        return first, second

    def _prepare(self) -> None:
        """`init` sends, or leaves events for every sample to begin with."""
        src, dst = self._pair()
        if self.random.random() < 0.5:
            self.init[src].append(f"send core {dst}, l[32], 8")
            self.init[dst].append(f"recv core {src}, l[40], 8")
            return
        event = self.random.randrange(EVENTS)
        self.init[src].append(f"sync core {dst}, event {event}")
        if self.random.random() < 0.6:
            self.main[dst].append(f"wait event {event}, 1")

    def _message(self) -> None:
        src, dst = self._pair()
        self.main[src].append(f"send core {dst}, l[0], 8")
        self.main[dst] += [f"recv core {src}, l[8], 8", "vvadd.i32 l[0], l[0], l[8], 2"]

    def _event(self) -> None:
        src, dst = self._pair()
        event = self.random.randrange(EVENTS)
        self.main[src].append(f"sync core {dst}, event {event}")
        self.main[dst].append(f"wait event {event}, 1")

    def _take(self, core: int, slot: int) -> None:
        self.main[core] += [f"ld l[8], g[{slot}], 8", "vvadd.i32 l[0], l[0], l[8], 2"]

    def _new_slot(self) -> int:
        slot, self.slot = SLOTS + 8 * self.slot, (self.slot + 1) % 16
        return slot

    def _hand_over(self) -> None:
        """One core stores, another loads after an event or a message."""
        (src, dst), slot, event = self._pair(), self._new_slot(), self.random.randrange(EVENTS)
        self.main[src].append(f"st g[{slot}], l[0], 8")
        if self.random.random() < 0.6:
            self.main[src].append(f"sync core {dst}, event {event}")
            self.main[dst].append(f"wait event {event}, 1")
        else:
            self.main[src].append(f"send core {dst}, l[0], 8")
            self.main[dst].append(f"recv core {src}, l[8], 8")
        self._take(dst, slot)

    def _gather(self) -> None:
        """All others store and sync one register of one core, which then loads everything."""
        target, event = self.random.randrange(self.cores), self.random.randrange(EVENTS)
        others = [core for core in range(self.cores) if core != target]
        slots = [self._new_slot() for _ in others]
        for core, slot in zip(others, slots, strict=True):
            self.main[core] += [f"st g[{slot}], l[0], 8", f"sync core {target}, event {event}"]
        if self.random.random() < 0.5:
            self.main[target].append(f"wait event {event}, {len(others)}")
        else:
            self.main[target] += [f"wait event {event}, 1"] * len(others)
        for slot in slots:
            self._take(target, slot)

    def _loop(self) -> None:
        src, dst = self._pair()
        trips, event = self.random.randint(0, 3), self.random.randrange(EVENTS)
        there = f"send core {dst}, l[0], 8\nwait event {event}, 1"
        here = f"recv core {src}, l[8], 8\nvvadd.i32 l[0], l[0], l[8], 2\nsync core {src}, event {event}"
        self.main[src].append(f"loop a {trips} {{\n{there}\n}}")
        self.main[dst].append(f"loop a {trips} {{\n{here}\n}}")

    def _disturb(self) -> None:
        """Something that a wrong compiler might do."""
        random = self.random
        lines = self.main[random.randrange(self.cores)]
        at = random.choice([at for at in range(2, len(lines)) if lines[at].startswith(TALK)] or [len(lines) - 1])
        match random.randrange(6):
            case 0 if at + 1 < len(lines):
                lines[at], lines[at + 1] = lines[at + 1], lines[at]
            case 1:
                del lines[at]
            case 2:
                lines.insert(at, lines[at])
            case 3 if lines[at].startswith("wait"):
                lines[at] = lines[at][:-1] + random.choice("023")
            case 4 if lines[at].startswith(("send", "recv")):
                lines[at] = lines[at][:-1] + "4"
            case 5 if lines[at].startswith(TALK):
                self.init[random.randrange(self.cores)].append(lines.pop(at).replace("l[0]", "l[32]"))
            case _:
                pass


def random_text(seed: int) -> str:
    """The assembly text of set `seed`."""
    return Generator(Random(seed)).text()


def random_set(seed: int) -> ProgramSet:
    """Set `seed`, validated; raises ProgramError for one that no loader accepts."""
    programs = parse_program_set(random_text(seed), f"set {seed}", lambda name: b"")
    check_program_set(programs, f"set {seed}")
    return programs
