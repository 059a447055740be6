"""The instruction mix of programs as a picture: as written and unrolled, and by core."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from emu.census.instructions import by_count
from launch.info.report import InfoReport
from launch.text.picture import picture

if TYPE_CHECKING:
    import altair as alt

WIDTH, HEIGHT = 560, 220  # pixels of a chart
NAMED = 9  # instructions with a colour of their own
NUMBERED = 24  # cores with a number below them, at most
OTHERS = "others"
FORMS = {"written": "as written", "unrolled": "unrolled"}


def draw(report: InfoReport, kind: str) -> bytes:
    """The picture as SVG or PNG: `kind` is one of FORMATS."""
    return picture(_chart(report), kind)


def mix_rows(report: InfoReport) -> list[dict[str, Any]]:
    """Per image, form (as written, unrolled) and instruction: its `count` and its `share` of all."""
    names, rows = named(report), list[dict[str, Any]]()
    for label, held in zip(_labels(report), report.images, strict=True):
        for form in ("written", "unrolled"):
            mix, title = Counter(held.total[form]), FORMS[form]
            for name, count in _few(mix, names).items():
                share = count / mix.total() if mix.total() else 0.0
                rows.append({"bar": f"{label}{title}", "instruction": name, "count": count, "share": share})
    return rows


def core_rows(report: InfoReport) -> list[dict[str, Any]]:
    """Per image, core and instruction: how often it runs in a sample."""
    names = named(report)
    return [
        {"image": label.removesuffix(": "), "core": core, "instruction": name, "count": count}
        for label, held in zip(_labels(report), report.images, strict=True)
        for part in held.parts
        for core, census in part.census.cores.items()
        for name, count in _few(census.counts.unrolled, names).items()
    ]


def named(report: InfoReport) -> list[str]:
    """The instructions that have a colour of their own, the most frequent one first."""
    totals = [held.total[form] for held in report.images for form in FORMS]
    most = by_count({name: max(mix.get(name, 0) for mix in totals) for mix in totals for name in mix})
    return list(most)[:NAMED]


def _few(mix: Any, names: list[str]) -> dict[str, int]:
    found = {name: mix[name] for name in names if mix[name]}
    rest = mix.total() - sum(found.values())
    return found | ({OTHERS: rest} if rest else {})


def _labels(report: InfoReport) -> tuple[str, ...]:
    return ("",) if report.other is None else ("A: ", "B: ")


def _chart(report: InfoReport) -> alt.VConcatChart:
    import altair as alt

    order = [*named(report), OTHERS]
    colour = alt.Color("instruction:N", sort=order, scale=alt.Scale(domain=order, scheme="tableau10"), title=None)
    mixes, cores = mix_rows(report), core_rows(report)
    bars = list(dict.fromkeys(row["bar"] for row in mixes))
    whole = alt.Scale(domain=[0, 1])
    shares = alt.Chart(alt.Data(values=mixes), width=WIDTH, height=40 * len(bars)).mark_bar()
    shares = shares.encode(
        x=alt.X("share:Q", title="share of the instructions", axis=alt.Axis(format="%"), scale=whole),
        y=alt.Y("bar:N", sort=bars, title=None),
        color=colour,
    )
    parts = [shares]
    for label in dict.fromkeys(row["image"] for row in cores):
        data = alt.Data(values=[row for row in cores if row["image"] == label])
        title = f"{label + ': ' if label else ''}instructions per sample"
        numbers = sorted({row["core"] for row in cores if row["image"] == label})
        axis = alt.Axis(values=numbers[:: -(-len(numbers) // NUMBERED)], labelAngle=0)
        chart = alt.Chart(data, width=WIDTH, height=HEIGHT).mark_bar()
        parts.append(
            chart.encode(
                x=alt.X("core:O", axis=axis), y=alt.Y("count:Q", title=title, axis=alt.Axis(format="~s")), color=colour
            )
        )
    names = " and ".join(str(held.path) for held in report.images)
    return alt.vconcat(*parts, title=names)
