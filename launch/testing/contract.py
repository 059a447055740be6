"""The contract of back ends: what the maker of a board runs to see whether it does what a device asks of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

from emu.arch import Arch
from emu.arch.read import load_arch
from emu.errors import EmuError, InputError, option
from emu.isa.dtypes import NUMBERS, DType
from launch.devices.device import Device, device
from launch.devices.failures import BoardRaised, DeviceError
from launch.testing.cell_sweeps import sweep_cells
from launch.testing.contract_bench import Bench, ContractBroken, Skip, Types, plain_types
from launch.testing.contract_cases import CASES, MAY_REFUSE, Check, types
from launch.testing.contract_errors import ERRORS
from launch.testing.contract_report import FAILED, PASSED, REFUSED, SKIPPED, CellSweep, ContractCase, ContractReport

TIMEOUT = 30.0  # seconds for one call
# Of all types, first those of which a deviation is not mixed with rounding, or of which every bit can be told.
FINE, COARSE = (DType.f32, DType.f16), (DType.i8, DType.i32)
MIXED = {"u8 with i8": (DType.u8, DType.i8, DType.i32), "f32 with f16": (DType.f32, DType.f16, DType.f32)}


def device_contract(
    backend: str,
    *,
    exact: bool = True,
    tolerance: float | None = None,
    stuck: float = 0.0,
    arch: str | Arch = "tiny",
    cores: int = 2,
    seed: int = 0,
    timeout: float | None = TIMEOUT,
    crossbars: int | None = None,
) -> ContractReport:
    """Drive a back end, any that `launch.device` takes, through all that a device may ask of it; the report.

    Results are to be exact: integers bit for bit, floats within 2 gamma_K sum |x||w| for K rows. With a `tolerance`
    they may deviate by this share of full scale: sum |x| times the largest weight. Single cells of all crossbars (or of
    so many `crossbars`) are then swept, too, each to stay within the tolerance; a share `stuck` of them may read alike
    whatever is written, and what shares a column with such a one is not looked at. Types that the board refuses by an
    exception are told, and break nothing.

    Raises AssertionError with the cases that fail and the sweeps, InputError for options, and EmuErrors if no device
    can be had.
    """
    __tracebackhide__ = True  # pytest shows the line of the test
    _refuse_options(exact, tolerance, stuck, crossbars)
    chip = load_arch(arch) if isinstance(arch, str) else arch
    with _Runner(backend, chip, cores, timeout, seed, tolerance, stuck) as runner:
        runner.run()
        sweeps = runner.sweep(crossbars) if tolerance is not None else []
    report = ContractReport(backend, chip.name, cores, seed, tolerance, tuple(runner.cases), tuple(sweeps))
    if not report.passed:
        broken = "\n".join(map(str, (*report.failed, *report.sweeps)))
        raise AssertionError(f"{backend} breaks the contract of devices in {len(report.failed)} cases:\n{broken}")
    return report


def _refuse_options(exact: bool, tolerance: float | None, stuck: float, crossbars: int | None) -> None:
    """Raise InputError for what says nothing."""
    if tolerance is None and not exact:
        raise InputError(f"{option('exact', False)} says not how far results may be off: give {option('tolerance')}")
    for name, share in (("tolerance", tolerance), ("stuck", stuck)):
        if share is not None and not 0 <= share < 1:
            raise InputError(f"{option(name, share)} is no share: give a number from 0 to below 1")
    if crossbars is not None and crossbars < 1:
        raise InputError(
            f"{option('crossbars', crossbars)} sweeps nothing: give a whole number from 1 on, or None for all"
        )


class _Runner(ExitStack):
    """Cases on one device, or on the next one once a case has ended it."""

    def __init__(
        self,
        backend: str,
        arch: Arch,
        cores: int,
        timeout: float | None,
        seed: int,
        tolerance: float | None,
        stuck: float,
    ) -> None:
        super().__init__()
        self.cases: list[ContractCase] = []
        self._power = lambda: device(arch, cores, backend=backend, timeout=timeout, record=False)
        self._seed, self._tolerance, self._stuck = seed, tolerance, stuck
        self._device: Device | None = None
        self._types: Types = plain_types(DType.f32)  # of all cases but those about types

    def run(self) -> None:
        """All cases, those about types first: the others use one that is taken."""
        preferred = (*FINE, *COARSE) if self._tolerance is not None else (*COARSE, *FINE)
        taken: list[DType] = []
        for name, kinds in _all_types():
            self._case(f"type {name}", "its products are right, unless it is refused", types, kinds, may_refuse=True)
            if self.cases[-1].outcome != REFUSED and kinds == plain_types(kinds[1]):
                taken.append(kinds[1])
        if not taken:
            self.cases.append(
                ContractCase("types", "at least one type of elements is taken", FAILED, "all are refused")
            )
            return
        self._types = plain_types(next((kind for kind in preferred if kind in taken), taken[0]))
        for name, (rule, check) in {**CASES, **ERRORS}.items():
            self._case(name, rule, check, may_refuse=name in MAY_REFUSE)

    def sweep(self, most: int | None) -> list[CellSweep]:
        """Sweeps of single cells, and what they say as cases."""
        found: list[CellSweep] = []
        if self.cases[-1].name != "types":
            self._case("sweep", "single cells can be swept", lambda bench: found.extend(sweep_cells(bench, most)))
        if not found:
            return found
        worst, cells = max(sweep.worst for sweep in found), sum(sweep.stuck.size for sweep in found)
        share = sum(int(sweep.stuck.sum()) for sweep in found) / cells
        for name, rule, value, limit in (
            ("single cells", "each reads what was written, or nothing", worst, self._tolerance or 0.0),
            ("stuck cells", "nearly all cells take what is written", share, self._stuck),
        ):
            why = "" if value <= limit else f"{value:.2%}, and the limit is {limit:.2%}"
            self.cases.append(ContractCase(name, rule, FAILED if why else PASSED, why, value))
        return found

    def _case(
        self, name: str, rule: str, check: Check, kinds: Types | None = None, *, may_refuse: bool = False
    ) -> None:
        bench = Bench(self._powered(), self._seed, kinds or self._types, self._tolerance, self._stuck)
        outcome, why = _outcome(check, bench, may_refuse)
        worst = bench.worst if self._tolerance is not None and outcome == PASSED and bench.worst else None
        self.cases.append(ContractCase(name, rule, outcome, why, worst))
        self._give_back(bench)

    def _powered(self) -> Device:
        if self._device is None:
            self._device = self.enter_context(self._power())
        return self._device

    def _give_back(self, bench: Bench) -> None:
        """Release what a case has acquired; a device that a case has ended is powered off."""
        try:
            bench.give_back()
        except EmuError:
            self._device = None
            self.close()


def _outcome(check: Check, bench: Bench, may_refuse: bool) -> tuple[str, str]:
    """What comes of a case, and why."""
    try:
        check(bench)
    except ContractBroken as broken:
        return FAILED, str(broken)
    except Skip as skip:
        return SKIPPED, str(skip)
    except (BoardRaised, DeviceError) as refusal:
        return (REFUSED if may_refuse else FAILED), str(refusal)
    except EmuError as error:
        return FAILED, str(error)
    return PASSED, ""


def _all_types() -> Iterator[tuple[str, Types]]:
    """Every type by itself, and two that are mixed."""
    yield from ((kind.name, plain_types(kind)) for kind in sorted(NUMBERS))
    yield from MIXED.items()
