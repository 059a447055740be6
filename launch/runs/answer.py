"""What `emu launch` and `emu validate` answer: the verdict of a run, above it the kept tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from emu.wording import visible
from launch.text.answer import Answer, Part, Table, Verbatim

if TYPE_CHECKING:
    from launch.golden.verdict import GoldenVerdict


def run_answer(report: Any, print_outputs: bool = False, quiet: bool = False) -> Answer:
    """The answer for a report of any kind of run; the outputs, too, if asked.

    `quiet`: nothing that does not belong to the verdict. The failure is why a finished run is no success after all.
    """
    values = report.to_dict()
    if print_outputs:
        from launch.text.printing import output_values

        values = values | {"outputs": output_values(report.result.outputs)}
    parts = _parts(report, print_outputs, quiet)
    return Answer(values, parts, failure=report.failure, exit_code=report.exit_code)


def _parts(report: Any, print_outputs: bool, quiet: bool) -> Iterator[Part]:
    if not quiet:
        yield from report.head()
    if report.kept and not (quiet and report.kept.passed):
        yield verdict_table(report.kept, report.nodes)
    if report.analog and not quiet:
        from launch.analog.tables import analog_tables

        yield from analog_tables(report.analog)
    yield from report.lines()
    if print_outputs:
        from launch.text.printing import output_lines

        yield Verbatim("\n".join(output_lines(report.result.outputs)) + "\n")


def verdict_table(verdict: GoldenVerdict, nodes: Mapping[str, str]) -> Table:
    """Kept intermediate tensors beside their golden values."""
    rows = [
        (
            visible(nodes.get(t.name, "")),
            visible(t.name),
            f"{t.max_abs:.3g}",
            f"{t.max_golden:.4g}",
            f"{t.relative:.2g}",
            *((t.worst[0], list(t.worst[1:])) if t.worst else ("", "")),
            "PASS" if t.passed else "FAIL",
        )
        for t in verdict.tensors
    ]
    columns = ("node", "tensor", "max|diff|", "max|golden|", "relative", "worst: sample", "index", "")
    limit = f"; limit {max(t.tolerance for t in verdict.tensors):g}" if verdict.tensors else ""
    return Table(f"intermediate tensors, golden {verdict.golden}{limit}", columns, rows, "llrrrrl")
