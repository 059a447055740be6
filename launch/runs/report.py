"""The report of a run: lines for people, plain values for JSON, and the exit code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from emu.errors import option
from emu.noc.wire.transports import TRANSPORTS
from emu.wording import counted, visible
from launch.bisect.finding import BisectResult
from launch.chaos.injection import idle_sentence, injected_line
from launch.chaos.series import BAD_INPUT, MISMATCH, RIGHT, Series
from launch.golden.verdict import GoldenVerdict
from launch.levels.finding import Levels
from launch.processes.options import RunOptions
from launch.runs.result import RunResult
from launch.text.units import ranges
from launch.tracing.trace_summary import summary_values, trace_lines

if TYPE_CHECKING:
    from launch.analog.verdict import AnalogVerdict


@dataclass(frozen=True, slots=True)
class RunReport:
    """A finished run with its comparisons; `note` says why there is no verdict."""

    options: RunOptions
    result: RunResult
    verdict: GoldenVerdict | None = None
    note: str = ""
    accuracy: tuple[int, int] | None = None
    kept: GoldenVerdict | None = None
    keep_informs: bool = False  # kept tensors that differ do not count
    model: str = ""
    nodes: Mapping[str, str] = field(default_factory=dict)  # tensor -> ONNX node
    series: Series | None = None  # disturbed runs, compared with this one
    record: Mapping[str, Any] = field(default_factory=dict)  # what is needed to repeat the run
    min_accuracy: float | None = None
    over_budget: tuple[str, ...] = ()  # sentences
    measures: Mapping[str, float] = field(default_factory=dict)  # what budgets bound
    finding: BisectResult | None = None  # where the run differs first, if that was asked for
    hollow: str = ""  # why a comparison would verify nothing of the chip, as a sentence
    levels: Levels | None = None  # of the compilation, if they were asked for
    left: str = ""  # a sentence that names the folder of artefacts
    drawn: int | None = None  # the seed of random inputs, if the run had such
    unused: tuple[str, ...] = ()  # golden values of a file that nothing was compared with, as sentences
    analog: AnalogVerdict | None = None  # of a run on cells, wires and converters

    @property
    def exit_code(self) -> int:
        """1 if a result is wrong or a bound is violated, else that of the series; 2 if the run tested nothing."""
        if self.wrong:
            return MISMATCH
        if self.series and not self._unverified:
            return self.series.exit_code
        return BAD_INPUT if self.failure else RIGHT

    @property
    def wrong(self) -> list[str]:
        """All failures, one sentence each: outputs, kept tensors, repetitions, accuracy, budgets."""
        kept = self.kept if self.kept and not self.keep_informs else None
        outputs = self.verdict if self.analog is None or self.analog.bound else None
        verdicts = [verdict for verdict in (outputs, kept) if verdict is not None and not verdict.passed]
        sentences = [
            f"{tensor.difference} (golden {verdict.source})"
            for verdict in verdicts
            for tensor in verdict.tensors
            if not tensor.passed
        ]
        if not self.result.repeats_equal:
            sentences.append(f"{self.result.repeat} repetitions are not equal")
        refuted = [self.levels.sentence()] if self.levels and not self.levels.passed else []
        return [*sentences, *self._inaccurate(), *self.over_budget, *refuted]

    @property
    def reason(self) -> str:
        """Why the exit code is not 0, in one sentence; empty if it is."""
        if wrong := self.wrong:
            more = f"; {len(wrong) - 1} more" if len(wrong) > 1 else ""
            return wrong[0] + more
        odd = str(self.series.odd[0]) if self.series and self.series.odd else ""
        return (self.failure or odd) if self.exit_code else ""

    def _inaccurate(self) -> list[str]:
        if self.min_accuracy is None or self.accuracy is None:
            return []
        right, count = self.accuracy
        asked = f"{option('min_accuracy')} {self.min_accuracy:g}"
        if self.analog is not None and self.analog.accuracy is not None:
            low, _ = self.analog.accuracy.interval
            known = f"accuracy {right}/{count} is {right / count:.4g}, and {low:.4g} at least, {asked}"
            return [] if low >= self.min_accuracy else [known]
        if right >= self.min_accuracy * count:
            return []
        return [f"accuracy {right}/{count} is {right / count:.4g}, {asked}"]

    @property
    def failure(self) -> str:
        """Why the run tested nothing, as a sentence; empty if it did."""
        if self._unverified:
            return self._unverified
        if self.series:
            return self.series.failure
        return idle_sentence([self.injected]) if self.injected is not None else ""

    @property
    def _unverified(self) -> str:
        """Why a verdict of PASS would verify nothing; empty if it does not."""
        if self.verdict is None:
            return ""
        if not any(tensor.elements for tensor in self.verdict.tensors):
            return "the outputs have no elements to compare, so nothing is verified: give inputs that make some"
        return self.hollow

    @property
    def injected(self) -> dict[str, int] | None:
        """Faults injected into the run itself, by kind; None without chaos."""
        return self.result.observed.get("injected")

    def head(self) -> list[str]:
        """The first lines: cores and options of the run."""
        hosts = self.result.on_hosts.lines() if self.result.on_hosts else []
        return [self._machine(), *hosts, self._times(), *self._extras(), *self._stepped(), *self._traced()]

    def lines(self) -> list[str]:
        """The results as lines, the verdict last."""
        series = self.series.lines() if self.series else []
        broken = [f"FAIL  {sentence}" for sentence in (*self._inaccurate(), *self.over_budget)]
        finding = self.finding.lines() if self.finding else []
        levels = [self.levels.line()] if self.levels else []
        analog = self.analog.lines() if self.analog else []
        return [*self._uncompared(), *analog, *self._verdict(), *broken, *series, *levels, *finding]

    def _machine(self) -> str:
        result, options = self.result, self.options
        if options.sequential:
            how = f"{options.flow}, engine {options.engine}"
            return f"{counted(result.cores_with_program, 'program')} in one process, in turns, {how}"
        busy = counted(result.cores_with_program, "holds", "hold")
        return (
            f"{counted(result.cores, 'core process')} ({busy} a program) over "
            f"{TRANSPORTS[options.transport].title}, {options.flow}, engine {options.engine}"
        )

    def _times(self) -> str:
        result = self.result
        count = result.samples * result.repeat - result.resumed
        rate = f" ({count / result.run_seconds:.3g} samples/s)" if count > 1 and result.run_seconds else ""
        plural = "" if count == 1 else "s"
        earlier = f", {result.resumed} by an earlier run" if result.resumed else ""
        ran = f"{count} sample{plural} in {result.run_seconds:.2f} s{rate}"
        return f"started in {result.start_seconds:.2f} s, {ran}{earlier}"

    def _extras(self) -> list[str]:
        lines = []
        if self.drawn is not None:
            lines.append(f"inputs are random, of seed {self.drawn} ({option('input')} gives others)")
        if self.result.repeat > 1:
            lines.append(
                f"{self.result.repeat} repetitions, " + ("equal" if self.result.repeats_equal else "NOT EQUAL")
            )
        if self.accuracy and self.analog is None:
            right, count = self.accuracy
            lines.append(f"accuracy {right}/{count} ({100 * right / count:.2f} %)")
        if self.options.chaos and self.injected is not None:
            lines.append(injected_line(self.options.chaos, self.injected))
        return lines

    def _stepped(self) -> list[str]:
        loops = self.result.stepped_loops
        if not loops:
            return []
        total = sum(loops.values())
        return [
            f"{total} loop{'' if total == 1 else 's'} of core{'' if len(loops) == 1 else 's'} {ranges(list(loops))} "
            "ran one instruction at a time, for lack of a plan: slower, the results are the same"
        ]

    def _traced(self) -> list[str]:
        trace = self.result.observed.get("trace")
        return trace_lines(trace) if trace else []

    @property
    def uncompared(self) -> list[str]:
        """Kept tensors without golden values."""
        compared = {tensor.name for tensor in self.kept.tensors} if self.kept else set[str]()
        compared |= {tensor.name for tensor in self.analog.kept} if self.analog else set()
        return [name for name in self.result.kept if name not in compared]

    def _uncompared(self) -> list[str]:
        names = self.uncompared
        kept = [f"kept, not compared (no golden values): {', '.join(map(visible, names))}"] if names else []
        return [*kept, *self.unused]

    def _verdict(self) -> list[str]:
        if self.verdict is None:
            return [self.note]
        hollow = bool(self._unverified)  # then what agrees has passed nothing
        remark = self.analog.remark if self.analog and not self.verdict.passed else ""
        bare = {True: hollow, False: bool(remark)}  # by whether a tensor passed
        tensors = [tensor.difference if bare[tensor.passed] else str(tensor) for tensor in self.verdict.tensors]
        return [f"golden {self.verdict.golden}:", *tensors, *filter(None, [remark])]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for --json."""
        result = self.result
        return {
            "model": self.model,
            "cores": result.cores,
            "cores_with_program": result.cores_with_program,
            "hosts": result.on_hosts.to_dict() if result.on_hosts else None,
            "samples": result.samples,
            "resumed": result.resumed,
            "start_seconds": round(result.start_seconds, 4),
            "run_seconds": round(result.run_seconds, 4),
            "options": {**self.options.to_dict(), "repeat": result.repeat},
            "repeats_equal": result.repeats_equal,
            "accuracy": dict(zip(("right", "of"), self.accuracy, strict=True)) if self.accuracy else None,
            "analog": self.analog.to_dict() if self.analog else None,
            "verdict": self._verdict_values(),
            "note": self.note,
            "kept": self._kept(),
            "kept_not_compared": self.uncompared,
            "golden_unused": list(self.unused),
            "keep_informs": self.keep_informs,
            "bisect": self.finding.to_dict() if self.finding else None,
            "levels": self.levels.to_dict() if self.levels else None,
            "stepped_loops": {str(core): count for core, count in result.stepped_loops.items()},
            "injected": self.injected,
            "trace": summary_values(trace) if (trace := result.observed.get("trace")) else None,
            "series": self.series.to_dict() if self.series else None,
            "measures": dict(self.measures),
            "over_budget": list(self.over_budget),
            "min_accuracy": self.min_accuracy,
            "reason": self.reason,
            "lines": self.lines(),
            "run": dict(self.record),
            "exit_code": self.exit_code,
            **({"error": self.failure} if self.failure else {}),
        }

    def _verdict_values(self) -> dict[str, Any] | None:
        """The verdict as plain values; what verifies nothing has not passed."""
        if self.verdict is None:
            return None
        values = self.verdict.to_dict()
        return values | {"passed": values["passed"] and not self._unverified}

    def _kept(self) -> dict[str, Any] | None:
        if self.kept is None:
            return None
        values = self.kept.to_dict()
        for tensor in values["tensors"]:
            tensor["node"] = self.nodes.get(tensor["name"], "")
        return values
