"""What the crossbars of each core must give for a node: whether messages with sums of parts are right."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np

from emu.census.instructions import MULTIPLIES
from launch.bisect.cells import CellBlock, declared, locate, wrong_cells
from launch.bisect.finding import Site
from launch.bisect.known import KnownTensor
from launch.bisect.products import ConstantProduct, make_product
from launch.bisect.reference import cell_text, user_of_group
from launch.bisect.scene import Scene

Place = tuple[int, int]  # first column of the node's matrix, and how many


@dataclass(frozen=True, eq=False)
class WrongCell:
    """A cell of a crossbar that holds something else than the ONNX file says."""

    core: int
    group: int
    row: int
    column: int
    got: float | int
    expected: float | int

    @property
    def said(self) -> str:
        """The two values, as a sentence part."""
        return f"the crossbar holds {self.got}, the model {self.expected}"


@dataclass(eq=False)
class PartialSums:
    """The products of some nodes: `known_cores` are (core, node) all of whose crossbars are found in the ONNX file."""

    scene: Scene
    known_cores: set[tuple[int, str]] = field(default_factory=set)
    cells: list[WrongCell] = field(default_factory=list)

    def learn(self, nodes: Collection[str]) -> None:
        """Add the sums of the nodes that are products to what is known."""
        scene, network = self.scene, self.scene.network
        values = {**scene.inputs, **scene.golden}
        for name in network.order:
            node = network.nodes.get(name, "")
            product = make_product(network, name, values, scene) if node in nodes else None
            if product is None:
                continue
            total: dict[Place, np.ndarray] = {}
            for core in scene.programs:
                for place, sums in self._of_core(core, node, product).items():
                    total[place] = total[place] + sums if place in total else sums
            self._know(f"sums of {node}", total)
            if product.constant is not None:
                constant = product.constant
                self._know(f"sums of {node}", {(c, w): s + _cut(constant, c, w, s) for (c, w), s in total.items()})

    def cell_of(self, core: int, groups: Collection[int]) -> WrongCell | None:
        """The first wrong cell of some groups of a core."""
        return next((cell for cell in self.cells if cell.core == core and cell.group in groups), None)

    def cell_site(self, cell: WrongCell) -> Site:
        """Where a cell is, and what multiplies with it first."""
        program = self.scene.programs[cell.core]
        what = cell_text(program, cell.group, cell.row, cell.column)
        return self.scene.site(cell.core, user_of_group(program, cell.group) or 0, what=what)

    def groups(self, core: int, node: str) -> list[int]:
        """The array groups that a core multiplies with for a node."""
        statements = self.scene.statements(core)
        columns = statements.program.main.columns
        users = np.flatnonzero(MULTIPLIES[columns["op"]]).tolist()
        mine = (k for k in users if self.scene.network.owner(statements.node(k)) == node)
        return sorted({int(columns["arg0"][k]) for k in mine})

    def _of_core(self, core: int, node: str, product: ConstantProduct) -> dict[Place, np.ndarray]:
        """The sums of a core by columns, as far as its groups are found in the matrix."""
        sums: dict[Place, np.ndarray] = {}
        groups = self.groups(core, node)
        complete = bool(groups)
        for group in groups:
            spec = self.scene.programs[core].groups[group]
            held = self.scene.image.multiplied(core)[group]
            weights = np.zeros((0, 0)) if held is None else np.asarray(held[:, : spec.cols])
            block = None if held is None else self._block(core, group, weights, product)
            if block is None:
                complete = False
                continue
            self._compare(core, group, weights, block)
            value = _product(product.features[:, block.rows], block.weights, spec.output.numpy)
            place = (block.column, spec.cols)
            self._know(f"partial sums of {node}", {place: value})
            sums[place] = sums[place] + value if place in sums else value
        self._know(f"partial sums of {node}", sums)
        if complete:
            self.known_cores.add((core, node))
        return sums

    def _block(self, core: int, group: int, weights: np.ndarray, product: ConstantProduct) -> CellBlock | None:
        """Where weights stand in the matrix: as the image says, if it is so, else where they are found."""
        cells = self.scene.cells(core)
        block = declared(weights, product, cells[group]) if cells else None
        return block or locate(weights, product.matrix, self.scene.image.arch)

    def _compare(self, core: int, group: int, weights: np.ndarray, block: CellBlock) -> None:
        for row, column in wrong_cells(weights, block)[:1].tolist():
            got, expected = weights[row, column].item(), block.weights[row, column].item()
            self.cells.append(WrongCell(core, group, row, column, got, expected))

    def _know(self, name: str, sums: dict[Place, np.ndarray]) -> None:
        self.scene.knowledge.add(KnownTensor(name, value, self._room(value)) for value in sums.values())

    def _room(self, values: np.ndarray) -> float:
        if values.dtype.kind != "f":
            return 0.0
        return self.scene.share(values.dtype) * float(np.abs(values).max(initial=0))


def _product(features: np.ndarray, weights: np.ndarray, result: np.dtype) -> np.ndarray:
    """What a group gives; of integers in floats of 64 bits, which hold all such sums and have a fast product."""
    if weights.dtype.kind == "f":
        return (features.astype(np.float32, copy=False) @ weights.astype(np.float32, copy=False)).astype(result)
    return (features.astype(np.float64) @ weights.astype(np.float64)).astype(np.int64).astype(result)


def _cut(constant: np.ndarray, first: int, width: int, like: np.ndarray) -> np.ndarray:
    return constant[first : first + width].astype(like.dtype)
