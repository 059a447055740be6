"""The report as plain values: every form (page, text, CSV, JSON, pictures) shows what is in these."""

from __future__ import annotations

from launch.report.panels.panel import Absent, Values
from launch.report.panels.table import PANELS
from launch.report.sources.known import KnownSubject
from launch.report.sources.subject import ReportSubject
from launch.report.sources.verdict import real_values


def report_values(subject: ReportSubject, peak_power: bool = False) -> Values:
    """Everything that is known. Times in ps (real ones in seconds), energies in pJ; what is not known is null.

    `peak_power`, which takes about as long as all the rest, is looked for if it is asked for; raises InputError where
    it cannot be had.
    """
    manifest, known, absent = subject.image.manifest, KnownSubject(subject, peak_power), Absent()
    values: Values = {
        "out": str(subject.out),
        "model": manifest.model.name,
        "model_sha256": manifest.model.sha256,
        "arch": subject.arch.name,
        "manifest_sha256": subject.manifest_sha256,
        "options": dict(manifest.options),
        "warnings": list(manifest.warnings),
        "run": str(subject.run.file) if subject.run else None,
        "trace": subject.trace and {"file": str(subject.trace.file), "samples": subject.trace.samples},
        "real": real_values(subject.run),
        "totals": _totals(known),
    }
    for panel in PANELS:
        values |= panel.make(known, absent)
    return values | {"absent": [{"what": what, "why": why} for what, why in absent.items()]}


def _totals(known: KnownSubject) -> Values:
    census = known.census
    return {
        "cores": len(census.cores),
        "arch_cores": census.arch.all_cores,
        "crossbars": census.sum("crossbars"),
        "crossbar_share": census.crossbar_share,
        "cell_share": census.cell_share,
        "macs": census.total.macs,
        "balance": known.mapped.balance,
        "instructions": census.sum("instructions"),
        "messages": census.total.messages,
        "bytes": census.total.sent,
        "byte_hops": census.byte_hops,
        "weight_bytes": census.sum("weight_bytes"),
        "memory": census.memory,
        "global_bytes": known.summary.global_bytes,
    }
