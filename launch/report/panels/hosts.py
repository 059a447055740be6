"""What crosses between the hosts of a run over several."""

from __future__ import annotations

from launch.images.chips import crossing
from launch.report.panels.panel import Listing, Note, Panel
from launch.report.sources.given_hosts import host_values
from launch.text.columns import Column

HOSTS = Panel(
    name="hosts",
    title="Several hosts",
    about="with `--run`: of a run over several hosts the cores of each, and what crosses between each two in a sample,"
    " loads and stores of global memory among it, which is at the launcher",
    make=lambda known, _absent: {"hosts": host_values(known.subject.run)},
    needs="hosts",
    blocks=[
        Note(
            [
                "{hosts.messages|count} messages with {hosts.bytes|bytes} cross between hosts in a sample.",
            ]
        ),
        Listing(
            name="host-pairs",
            caption="between hosts, per sample",
            rows="hosts.pairs",
            order="bytes",
            filtered=False,
            columns=crossing("host", "text"),
        ),
        Listing(
            name="hosts-in-use",
            caption="hosts in use",
            rows="hosts.of_each",
            filtered=False,
            columns=[
                Column("host", "host"),
                Column("count", "cores", "count"),
                Column("cores", "which", "cores"),
            ],
        ),
    ],
    csv={"hosts.pairs": ("hosts", "{from} {to}"), "hosts.of_each": ("host", "{host}")},
    fields={
        "hosts": {
            "": "of the run of `--run`, if it was one over several hosts; else null",
            "`messages`, `bytes`": "what crosses between them",
            "`of_each`": "of each with cores `host`, `cores` and their `count`",
            "`pairs`": "per pair of hosts `from`, `to`, `messages`, `bytes`",
        }
    },
)
