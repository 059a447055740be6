"""The report of a stress test: lines and a table for people, plain values for JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from emu.noc.wire.transports import TRANSPORTS
from emu.wording import counted
from launch.chaos.injection import idle_sentence, injected_line
from launch.chaos.series import BAD_INPUT, MISMATCH, RIGHT, Series
from launch.stress.job import StressResult
from launch.text.units import size_text

SHOWN_FAULTS = 5
MEANINGS = {
    True: "from the begin of a send until its receiver has taken the message and the acknowledgement is back",
    False: "from the begin of a send until fewer than K messages of the pair waited and it was handed over",
}


def exit_code(results: list[StressResult]) -> int:
    """1 if there are errors, 2 if chaos injected nothing, 0 otherwise."""
    if any(result.errors for result in results):
        return MISMATCH
    return BAD_INPUT if failure(results) else RIGHT


def failure(results: list[StressResult]) -> str:
    """Why tests with chaos tested nothing, as a sentence; empty if they did, or had none."""
    counts = [result.injected for result in results if result.injected is not None]
    return idle_sentence(counts) if counts else ""


def lines(result: StressResult) -> list[str]:
    """The report as text, errors last."""
    hosts = result.on_hosts.lines() if result.on_hosts else []
    return [
        _head(result),
        *hosts,
        _rates(result),
        *_latency(result),
        *_deadlock(result),
        *_chaos(result),
        *_errors(result),
    ]


def series_lines(first: StressResult, series: Series) -> list[str]:
    """The report of a series of disturbed runs: one line of the undisturbed run, then that of the series."""
    return [_head(first), *_errors(first)[:-1], *series.lines(), f"errors: {first.errors + len(series.odd)}"]


def series_to_dict(first: StressResult, series: Series) -> dict[str, Any]:
    """Plain values for --json: those of the undisturbed run, and `series`."""
    return {**to_dict(first), "series": series.to_dict(), "exit_code": series_exit_code(first, series)}


def series_exit_code(first: StressResult, series: Series) -> int:
    """The exit code of the undisturbed run if it failed, else that of the series."""
    return exit_code([first]) or series.exit_code


def link_rows(result: StressResult, limit: int | None) -> tuple[str, list[tuple[object, ...]]]:
    """Title and rows (link, bytes, share) of the table of links, busiest first; `limit` None: all."""
    load = result.loads()
    busiest = sorted(load.links.items(), key=lambda item: (-item[1], item[0]))
    rows = result.workload.cores // result.mesh.width
    mean_hops = load.byte_hops / load.total if load.total else 0.0
    title = (
        f"links of the {rows} x {result.mesh.width} mesh, XY routes (along the row, then the column): "
        f"{counted(load.total, 'byte')} cross {mean_hops:.2f} links on average, {counted(len(busiest), 'link')} in all"
    )
    shown = busiest[:limit]
    return title, [(f"{a} -> {b}", size, f"{100 * size / load.total:.2f} %") for (a, b), size in shown]


def to_dict(result: StressResult) -> dict[str, Any]:
    """Plain values for --json; every link is in it."""
    job, workload, load = result.job, result.workload, result.loads()
    seconds = result.run_seconds
    return {
        "pattern": job.pattern,
        "cores": job.cores,
        "options": job.to_dict(),
        "samples": result.samples,
        "rounds": workload.rounds,
        "messages": result.messages,
        "bytes": result.bytes,
        "start_seconds": round(result.start_seconds, 4),
        "run_seconds": round(seconds, 4),
        "messages_per_second": result.messages / seconds if seconds else 0.0,
        "bytes_per_second": result.bytes / seconds if seconds else 0.0,
        "send_seconds": asdict(result.latency) if result.latency else None,
        "mesh_width": result.mesh.width,
        "byte_hops": load.byte_hops,
        "links": [{"from": a, "to": b, "bytes": size} for (a, b), size in sorted(load.links.items())],
        "errors": result.errors,
        "faults": [str(fault) for fault in result.faults[:SHOWN_FAULTS]],
        "deadlock": result.deadlock,
        "digest": result.digest,
        "hosts": result.on_hosts.to_dict() if result.on_hosts else None,
        "injected": result.injected,
        "exit_code": exit_code([result]),
    }


def _head(result: StressResult) -> str:
    job, options, workload = result.job, result.job.options, result.workload
    rounds = f"{counted(workload.rounds, 'round')} of {counted(workload.per_round, 'message')}"
    rate = f", at most {job.rate:g} messages/s per core" if job.rate else ""
    return (
        f"{job.pattern} on {counted(job.cores, 'core process')} over {TRANSPORTS[options.transport].title}, "
        f"{options.flow}: {rounds}, size {job.size}, seed {options.seed}{rate}"
    )


def _rates(result: StressResult) -> str:
    seconds = max(result.run_seconds, 1e-9)
    started = f"started in {result.start_seconds:.2f} s"
    if result.deadlock:
        return started
    samples = f" in {result.samples} samples" if result.samples > 1 else ""
    return (
        f"{started}, {counted(result.messages, 'message')}{samples}, {size_text(result.bytes)} in "
        f"{result.run_seconds:.2f} s: {result.messages / seconds:.0f} messages/s, {size_text(result.bytes / seconds)}/s"
    )


def _latency(result: StressResult) -> list[str]:
    latency = result.latency
    if latency is None:
        return []
    p50, p99, largest = (f"{1e3 * value:.3f} ms" for value in (latency.p50, latency.p99, latency.largest))
    return [f"send p50 {p50}, p99 {p99}, max {largest} ({_meaning(result)})"]


def _meaning(result: StressResult) -> str:
    due = "; counted from when it was due" if result.job.rate else ""
    return MEANINGS[result.job.options.flow == "rendezvous"] + due


def _deadlock(result: StressResult) -> list[str]:
    return [f"found out after {result.run_seconds:.2f} s: {result.deadlock}"] if result.deadlock else []


def _chaos(result: StressResult) -> list[str]:
    chaos = result.job.options.chaos
    return [injected_line(chaos, result.injected)] if chaos and result.injected is not None else []


def _errors(result: StressResult) -> list[str]:
    faults = [str(fault) for fault in result.faults[:SHOWN_FAULTS]]
    if len(result.faults) > SHOWN_FAULTS:
        faults.append(f"and {len(result.faults) - SHOWN_FAULTS} more")
    if result.errors > len(result.faults):
        faults.append("the deadlock was not found out")
    return [*faults, f"errors: {result.errors}"]
