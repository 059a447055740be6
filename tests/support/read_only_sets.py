"""Random program sets that read tensors which exist once per power-on, and sometimes store into them."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np

from emu.asm.assembler import assemble

WORDS = 8  # of the input
PAD = 12  # bytes that belong to nobody
SLOT = 16  # bytes of global memory that each core has for itself


class Generator:
    """One set; everything is drawn from `random`. All elements are small multiples of 4, so that they serve as offsets.

    Global memory: x, tensor a, what cores store and load again, tensor b (at times right behind), y, tensor c.
    """

    def __init__(self, random: Random, strays: bool = True) -> None:
        self.random, self.strays = random, strays
        self.cores = random.randint(1, 3)
        self.tensors: dict[str, tuple[int, int]] = {}  # name -> address, bytes
        self.arrays: dict[str, np.ndarray] = {}
        edge = self._tensor("a", 4 * WORDS)
        self.own = edge + random.choice([0, 0, PAD])
        edge = self._tensor("b", self.own + SLOT * self.cores + random.choice([0, 0, 12]))
        self.result = edge + random.choice([0, 0, PAD])
        self.end = self._tensor("c", self.result + 8 * self.cores + random.choice([0, 8]))

    def text(self) -> str:
        """The set as assembly text; `arrays` are its files."""
        parts = [
            f"arch tiny\nglobal {self.end}\n"
            f'input "x" i32[1, {WORDS}] at 0\noutput "y" i32[1, {2 * self.cores}] at {self.result}\n'
        ]
        for name, (address, size) in self.tensors.items():
            parts.append(f'readonly "{name}" i32[{size // 8}, 2] at {address} from "{name}.npy"\n')
        for core in range(self.cores):
            main = "\n".join(self._main(core))
            parts.append(f"core {core} {{\nmain {{\n{main}\nhalt\n}}\n}}\n")
        return "".join(parts)

    def write(self, directory: Path) -> Path:
        """The image of the set, in `directory`."""
        source = directory / "source"
        source.mkdir()
        (source / "chip.asm").write_text(self.text())
        for name, array in self.arrays.items():
            np.save(source / f"{name}.npy", array)
        assemble(source, directory / "out")
        return directory / "out"

    def inputs(self, samples: int) -> list[dict[str, np.ndarray]]:
        return [{"x": np.array([[self._word() for _ in range(WORDS)]], np.int32)} for _ in range(samples)]

    def _word(self) -> int:
        return 4 * self.random.randrange(8)

    def _tensor(self, name: str, address: int) -> int:
        count = 2 * self.random.randint(1, 12)
        self.tensors[name] = address, 4 * count
        self.arrays[name] = np.array([self._word() for _ in range(count)], np.int32).reshape(-1, 2)
        return address + 4 * count

    def _main(self, core: int) -> list[str]:
        own = self.own + SLOT * core
        lines = [f"ld l[0], g[{8 * core}], 8", "lldi l[32], 0, 256", f"st g[{own}], l[32], {SLOT}"]
        kinds = [*[self._read, self._loop, self._across, self._keep] * 3, self._indirect]
        for _ in range(self.random.randint(1, 6)):
            lines += self.random.choice(kinds)(own)
        if self.strays and self.random.random() < 0.35:
            lines.insert(self.random.randrange(3, len(lines) + 1), self._stray())
        return [*lines, f"st g[{self.result + 8 * core}], l[0], 8"]

    def _add(self, place: int) -> str:
        return f"vvadd.i32 l[0], l[0], l[{place}], 2"

    def _read(self, own: int) -> list[str]:
        """Any words of one tensor."""
        address, size = self.random.choice([*self.tensors.values()])
        first = 4 * self.random.randrange(size // 4)
        count = 4 * self.random.randint(1, (size - first) // 4)
        return [f"ld l[32], g[{address + first}], {count}", self._add(32)]

    def _loop(self, own: int) -> list[str]:
        """Word after word, or the same few again and again."""
        address, size = self.random.choice([*self.tensors.values()])
        trips = self.random.randint(1, size // 4)
        modulus = self.random.randint(1, trips)
        return [f"loop i {trips} {{\nld l[32], g[{address} + 4*(i mod {modulus})], 4\n{self._add(32)}\n}}"]

    def _indirect(self, own: int) -> list[str]:
        """A register loaded from a tensor is part of an address: of `x`, which holds what it may reach."""
        address, size = self.random.choice([*self.tensors.values()])
        return [f"sld r1, g[{address + 4 * self.random.randrange(size // 4)}]", "ld l[32], g[r1], 4", self._add(32)]

    def _across(self, own: int) -> list[str]:
        """From the input into the first tensor, or on from there to bytes that belong to nobody."""
        address, size = self.tensors["a"]
        begin = self.random.choice([address - 4, address - 8])
        undefined = self.own == address + size + PAD and self.strays and self.random.random() < 0.3
        return [f"ld l[32], g[{begin}], {address - begin + size + 8 * undefined}", self._add(36)]

    def _keep(self, own: int) -> list[str]:
        """Store what belongs to the sample, and load it again."""
        return [f"st g[{own + 4}], l[0], 8", f"ld l[32], g[{own}], {SLOT}", self._add(36)]

    def _stray(self) -> str:
        """A store that meets a tensor, wholly or in part, perhaps in a late iteration only."""
        name = self.random.choice([*self.tensors])
        address, size = self.tensors[name]
        behind = {"a": self.own, "b": self.result}.get(name)
        match self.random.randrange(3):
            case 0 if behind == address + size + PAD:  # through bytes that nobody reads
                return f"loop i 4 {{\nst g[{behind - 4} - 4*i], l[32], 4\n}}"
            case 1:
                return f"st g[{address - 4}], l[32], {self.random.choice([8, 12])}"
            case _:
                return f"st g[{address + 4 * self.random.randrange(size // 4)}], l[32], 4"
