"""What an agent tells of its machine and of processes there, read as strictly as a file: it may be any program."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields

from emu.core.trap import TrapRecord
from emu.image.json_fields import Field
from launch.processes.orders import MAX_TEXT, ZYGOTE, ProcessReport, ReportKind
from launch.processes.status import StoppedProcess
from launch.system.doctor import FAIL, OK, WARN, DoctorCheck

_LOW, _HIGH = -(1 << 63), (1 << 64) - 1  # all integers that a message can hold
_CHECK = tuple(field.name for field in fields(DoctorCheck))
_REPORT = tuple(field.name for field in fields(ProcessReport))
_RECORD = tuple(field.name for field in fields(TrapRecord))


def text_from(field: Field) -> str:
    """A text, its last part if it is very long."""
    return field.text()[-MAX_TEXT:]


def integer_from(field: Field) -> int:
    """An integer."""
    return field.integer(_LOW, _HIGH)


def integer_or_none(field: Field) -> int | None:
    """An integer, or nothing."""
    return None if field.value is None else integer_from(field)


def bytes_from(field: Field) -> bytes:
    """Bytes."""
    if not isinstance(field.value, bytes):
        field.refuse("expected bytes")
    return field.value


def names_from(field: Field) -> list[str]:
    """Names of processes."""
    return [text_from(each) for each in field.items()]


def processes_from(field: Field) -> dict[str, int]:
    """Numbers of processes, by their names."""
    return {name: integer_from(number) for name, number in field.mapping().items()}


def stopped_from(field: Field) -> list[StoppedProcess]:
    """Processes that are stopped."""
    parts = [each.exactly(3) for each in field.items()]
    return [StoppedProcess(text_from(name), text_from(why), integer_or_none(core)) for name, why, core in parts]


def check_from(field: Field) -> DoctorCheck:
    """The outcome of a check, of which `DoctorCheck.to_dict` has made plain values."""
    found = {name: text_from(each) for name, each in field.object(_CHECK).items()}
    if found["status"] not in (OK, WARN, FAIL):
        field.refuse(f"status is {found['status']!r}")
    return DoctorCheck(**found)


def report_from(field: Field, cores: Collection[int]) -> ProcessReport:
    """A report of the zygote, or of one of `cores`, of which `asdict` has made plain values."""
    parts = field.object(_REPORT)
    event, core = parts["event"].integer(min(ReportKind), max(ReportKind)), integer_from(parts["core"])
    if core != ZYGOTE and core not in cores:
        field.refuse(f"core {core} is not there")
    return ProcessReport(
        ReportKind(event),
        core,
        text_from(parts["text"]),
        integer_from(parts["status"]),
        integer_from(parts["peer"]),
        None if parts["record"].value is None else _record_from(parts["record"]),
        integer_from(parts["process"]),
    )


def _record_from(field: Field) -> TrapRecord:
    parts = field.object(_RECORD)
    return TrapRecord(
        integer_from(parts["core"]),
        text_from(parts["section"]),
        integer_from(parts["index"]),
        text_from(parts["instruction"]),
        tuple(integer_from(each) for each in parts["counters"].items()),
        integer_from(parts["sample"]),
        text_from(parts["node"]),
        text_from(parts["reason"]),
        text_from(parts["operand"]),
        integer_or_none(parts["value"]),
        integer_or_none(parts["limit"]),
    )
