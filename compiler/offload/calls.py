"""Checks the calls of a device before they run: what is held, written, awaited and released on every way there is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from compiler.dialects import cim, cinm
from compiler.dialects.cim import Cim
from compiler.dialects.linalg.loops import WhileOp
from compiler.dialects.origins import origin_of, refuse
from compiler.offload.call_states import HANDLES, AwaitedProduct, CallState, Handle, HeldCrossbar, alike
from compiler.offload.context import OffloadContext
from compiler.offload.groups import check_vectors, spec_of
from compiler.offload.nest import static_trips
from emu.program.banks import Bank, none_free, place_on

TURNS = 4096  # of one loop that are followed, if each leaves the device in another state

_Turn = Callable[[Sequence[int | None]], "list[int | None]"]  # handles that a turn is given, and that it leaves


def check_calls(module: ModuleOp, chip: OffloadContext, products: bool) -> None:
    """Raise CompileError for the first call that cannot be made, with line and operation.

    Loops are followed until a turn changes nothing; of branches both. What depends on the data is left to the device.
    With `products` those of `cinm` are calls, as when they are executed as they stand.
    """
    calling = _calling(module, products)
    called = {op.callee.root_reference.data for op in calling if isinstance(op, func.CallOp)}
    for function in module.ops:
        if function in calling and isinstance(function, func.FuncOp) and function.sym_name.data not in called:
            _Walk(chip, module, calling).function(function, [None] * len(function.body.block.args))


def _calling(module: ModuleOp, products: bool) -> set[Operation]:
    """Operations that call the device, inside of them or by functions, and control that hands on what calls make."""
    found, functions, grown = set[Operation](), set[str](), True
    calls = (*Cim.operations, *cinm.PRODUCTS) if products else tuple(Cim.operations)
    control = (scf.ForOp, scf.IfOp, WhileOp, scf.IndexSwitchOp)

    def hands_on(op: Operation) -> bool:
        return isinstance(op, control) and any(isinstance(value.type, HANDLES) for value in op.results)

    while grown:
        grown = False
        for op in module.walk():
            if op not in found and (
                isinstance(op, calls)
                or hands_on(op)
                or (isinstance(op, func.CallOp) and op.callee.root_reference.data in functions)
            ):
                grown, around = True, op
                while around is not None and around not in found:
                    found.add(around)
                    around = around.parent_op()
        functions = {op.sym_name.data for op in module.ops if isinstance(op, func.FuncOp) and op in found}
    return found


class _Walk:
    """Follows a function through all its calls."""

    def __init__(self, chip: OffloadContext, module: ModuleOp, calling: set[Operation]) -> None:
        self._chip, self._calling = chip, calling
        self._functions = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}
        self._state = CallState([Bank(chip.arch) for _ in range(chip.cores)], {})
        self._values = dict[SSAValue, int]()
        self._inside = list[func.FuncOp]()

    # blocks ---------------------------------------------------------------------------------------------------------

    def function(self, function: func.FuncOp, given: Sequence[int | None]) -> list[int | None]:
        """The handles that it returns."""
        self._inside.append(function)
        made = self._block(function.body.block, given)
        self._inside.pop()
        return made

    def _block(self, block: Block, given: Sequence[int | None]) -> list[int | None]:
        """The handles that its terminator hands on."""
        self._bind(block.args, given)
        for op in block.ops:
            meaning = _MEANINGS.get(type(op))
            if meaning is not None and op in self._calling:
                meaning(self, op)
            elif op in self._calling and not isinstance(op, cinm.PRODUCTS):
                self._unknown()
            elif op is not block.last_op and not isinstance(op, cinm.PRODUCTS):
                self._lose(op)
        last = block.last_op
        return [] if last is None else [self._values.get(value) for value in last.operands]

    def _lose(self, op: Operation) -> None:
        """What an operation takes that is not understood may be anything from now on."""
        for operand in op.operands:
            number = self._values.get(operand)
            if number is not None:
                self._state.handles[number] = replace(self._state.handles[number], sure=False)
                self._state.exact = False

    def _unknown(self) -> None:
        """After calls in a region that is not followed, all that was known may be otherwise."""
        self._state.exact = False
        for number, handle in self._state.handles.items():
            self._state.handles[number] = replace(handle, sure=False)

    def _bind(self, values: Sequence[SSAValue], handles: Sequence[int | None]) -> None:
        for value, number in zip(values, handles, strict=False):
            self._values.pop(value, None)
            if number is not None:
                self._values[value] = number

    def _new(self, value: SSAValue, handle: Handle) -> None:
        self._values[value] = len(self._state.handles)
        self._state.handles[len(self._state.handles)] = handle

    # control --------------------------------------------------------------------------------------------------------

    def loop(self, op: scf.ForOp) -> None:
        """All turns, or as many as change something."""
        block, given = op.body.block, [self._values.get(value) for value in op.iter_args]
        made = self._turns(static_trips(op), given, lambda carried: self._block(block, [None, *carried]))
        self._bind(op.results, made)

    def loop_while(self, op: WhileOp) -> None:
        """What decides is there once more often than the turns, of which nobody knows how many there are."""

        def decide(carried: Sequence[int | None]) -> list[int | None]:
            return self._block(op.before_region.block, carried)[1:]

        given = decide([self._values.get(value) for value in op.arguments])
        made = self._turns(None, given, lambda carried: decide(self._block(op.after_region.block, carried)))
        self._bind(op.results, made)

    def _turns(self, trips: int | None, given: Sequence[int | None], turn: _Turn) -> list[int | None]:
        """The handles that so many turns leave; None: who knows how many."""
        carried, known, before, seen = list(given), len(self._state.handles), self._state.copy(), None
        for number in range(TURNS if trips is None else min(trips, TURNS)):
            carried = turn(carried)
            now = self._state.seen(known, carried)
            if now == seen:
                break
            if number and trips is None:  # how often is not known, and it matters
                self._state.exact = False
                break
            seen = now
        else:
            if trips is not None and trips > TURNS:
                self._unknown()
                return [None for _ in carried]
        if trips is None:
            self._merge(before)
            return self._one_of([given, carried])
        return carried

    def branch(self, op: scf.IfOp | scf.IndexSwitchOp) -> None:
        """All ways."""
        before, made = self._state.copy(), list[list[int | None]]()
        for region in op.regions:
            other, self._state = self._state, before.copy()
            # Handles of one way have numbers of their own.
            self._state.handles |= {
                number: handle for number, handle in other.handles.items() if number not in before.handles
            }
            made.append(self._block(region.block, []) if region.blocks else [])
            if len(made) > 1:
                self._merge(other)
        self._bind(op.results, self._one_of(made))

    def _one_of(self, ways: Sequence[Sequence[int | None]]) -> list[int | None]:
        """The handles that ways lead to; where they differ, each of them may be meant from now on."""
        made = list[int | None]()
        for numbers in zip(*ways, strict=False):
            same = len(set(numbers)) == 1
            made.append(numbers[0] if same else None)
            for number in () if same else {each for each in numbers if each is not None}:
                self._state.handles[number] = replace(self._state.handles[number], sure=False)
                self._state.exact = False
        return made

    def _merge(self, other: CallState) -> None:
        """What is so on this way and the other one."""
        state = self._state
        for number, handle in other.handles.items():
            if not alike(state.handles[number], handle):
                state.handles[number] = replace(state.handles[number], sure=False)
        same = all(a.places() == b.places() for a, b in zip(state.banks, other.banks, strict=True))
        state.exact = state.exact and other.exact and same

    def call(self, op: func.CallOp) -> None:
        """Its function."""
        function = self._functions.get(op.callee.root_reference.data)
        if function is None or function in self._inside or not function.body.blocks:
            self._state.exact = False
            return
        self._bind(op.results, self.function(function, [self._values.get(value) for value in op.operands]))

    def compute(self, op: cinm.ComputeOp) -> None:
        """What stands inside."""
        self._bind(op.results, self._block(op.body.block, []))

    # calls ----------------------------------------------------------------------------------------------------------

    def acquire(self, op: cim.AcquireOp) -> None:
        """Crossbars must be free."""
        kind: Any = op.crossbar.type
        place = self._take(op, kind.matrix.get_shape(), kind.matrix, kind.sums)
        self._new(op.crossbar, HeldCrossbar(place))

    def product(self, op: cinm.GemmOp | cinm.GemvOp) -> None:
        """Crossbars must be free for as long as it takes."""
        matrix: Any = op.matrix.type
        made: Any = op.result.type
        rows_cols = matrix.get_shape() if isinstance(op, cinm.GemmOp) else matrix.get_shape()[::-1]
        place = self._take(op, rows_cols, matrix, made.get_element_type())
        if place is not None:
            self._state.banks[place[0]].give_back(place[1])

    def _take(self, op: Operation, shape: Sequence[int], matrix: Any, sums: Any) -> tuple[int, int] | None:
        spec = spec_of(op, self._chip, shape, matrix, sums)
        if not self._state.exact or min(shape) < 1:
            return None
        found = place_on(self._state.banks, spec)
        if found is None:
            raise refuse(op, f"asks for too much: {none_free(self._chip.arch, self._state.banks, spec)}")
        return found[0], self._state.banks[found[0]].take(found[1])

    def write(self, op: cim.WriteOp) -> None:
        """To crossbars that are held."""
        number, crossbar = self._held(op, op.crossbar, "writes to")
        if crossbar is not None:
            kind: Any = op.matrix.type
            rows, cols = kind.get_shape()
            self._state.handles[number] = replace(crossbar, written=(rows, cols))

    def gemm(self, op: cim.GemmOp) -> None:
        """By what was written."""
        _, crossbar = self._held(op, op.crossbar, "multiplies by")
        if crossbar is not None and crossbar.sure:
            check_vectors(op, crossbar.written)
        self._new(op.future, AwaitedProduct())

    def barrier(self, op: cim.BarrierOp) -> None:
        """For what was not awaited yet."""
        number = self._values.get(op.future)
        future = None if number is None else self._state.handles[number]
        if number is not None and isinstance(future, AwaitedProduct):
            if future.awaited and future.sure:
                raise refuse(op, f"waits for a product that {future.awaited} has waited for: use what came there")
            self._state.handles[number] = replace(future, awaited=origin_of(op))

    def release(self, op: cim.ReleaseOp) -> None:
        """What is held."""
        number, crossbar = self._held(op, op.crossbar, "releases")
        if crossbar is not None:
            self._state.handles[number] = replace(crossbar, released=origin_of(op))
            if crossbar.place is not None and crossbar.sure:
                self._state.banks[crossbar.place[0]].give_back(crossbar.place[1])
            elif not crossbar.sure:
                self._state.exact = False
        else:
            self._state.exact = False

    def _held(self, op: Operation, value: SSAValue, does: str) -> tuple[int, HeldCrossbar | None]:
        """Crossbars that an operation uses; None if it is not known which."""
        number = self._values.get(value)
        found = None if number is None else self._state.handles[number]
        if number is None or not isinstance(found, HeldCrossbar):
            return -1, None
        if found.released and found.sure:
            raise refuse(op, f"{does} crossbars that {found.released} has released: acquire others")
        return number, found


_MEANINGS: Mapping[type[Operation], Callable[[_Walk, Any], None]] = {
    scf.ForOp: _Walk.loop,
    WhileOp: _Walk.loop_while,
    scf.IfOp: _Walk.branch,
    scf.IndexSwitchOp: _Walk.branch,
    func.CallOp: _Walk.call,
    cinm.ComputeOp: _Walk.compute,
    cinm.GemmOp: _Walk.product,
    cinm.GemvOp: _Walk.product,
    cim.AcquireOp: _Walk.acquire,
    cim.WriteOp: _Walk.write,
    cim.GemmOp: _Walk.gemm,
    cim.BarrierOp: _Walk.barrier,
    cim.ReleaseOp: _Walk.release,
}
