"""`emu export`: compiled programs for other tools, as PIM-ISA or as text, and built-in networks as ONNX."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from launch.cli.answering import answers
from launch.cli.choices import FORM, QUANTISED, WEIGHT_FILE
from launch.cli.completion import network_names, networks
from launch.cli.given import listed_alone, refuse_besides
from launch.cli.options import NATURAL, output_option
from launch.cli.text_lines import PROGRAMS
from launch.cli.values import NEW_FILE, NEW_FOLDER
from launch.text.answer import Answer, Table, Verbatim

ASM, ONNX, DEFAULT = "asm", "onnx", "pimsim"
_ALWAYS = ("subject", "form", "output")


@click.command(
    short_help="Write programs as PIM-ISA or text, and networks as ONNX.",
    epilog="""\b
Examples:
  emu export out/lenet -o lenet.pimsim
  emu time lenet.pimsim/program.json --arch lenet.pimsim/chip.json
  emu export out/lenet --to pim --weights json -o lenet.pim --json
  emu export out/lenet --to asm --core 3
  emu export out/lenet --to asm -o lenet.asm && emu import lenet.asm -o out/again
  emu export --list
  emu export resnet18 -o resnet18.onnx
  emu export kernels/mm -o mm.onnx
  emu export lenet5 --quantize qoperator -o lenet8.onnx""",
)
@click.argument("subject", metavar="OUT|NETWORK", required=False, shell_complete=networks)
@click.option(
    "--to",
    "form",
    type=FORM,
    help="Of OUT: PIM-ISA as one JSON file (pimsim, the default; json-gz: packed by gzip) or as a file per core, JSON"
    " or binary (pim); or assembly text. A NETWORK becomes onnx.",
)
@output_option(
    click.STRING,
    "What to write: a directory, in which an earlier export in PIM-ISA is replaced; of asm a new directory, to import"
    " (default: print the text); of onnx a file (default: NETWORK.onnx).",
)
@click.option(
    "--weights",
    type=WEIGHT_FILE,
    default="npy",
    show_default=True,
    help="Of PIM-ISA: contents of crossbars, as a .npy file per array group or one JSON file per core.",
)
@click.option("--core", type=NATURAL, metavar="N", help="Of asm: print only this core's program.")
@click.option(
    "--seed", type=NATURAL, default=0, show_default=True, metavar="N", help="Of onnx: the seed of the weights."
)
@click.option(
    "--quantize",
    type=QUANTISED,
    help="Of onnx: weights and activations of int8, per channel, by onnxruntime's quantiser: as operators on integers,"
    " or as pairs of DequantizeLinear and QuantizeLinear. Scales fit random inputs of the seed.",
)
@click.option("--list", "listing", is_flag=True, help="List the built-in networks and kernels.")
@answers()
def command(subject: str | None, form: str | None, output: str | None, listing: bool, **options: Any) -> Answer:
    """Write the programs of the directory OUT, or of assembly text, for other tools; or a built-in NETWORK.

    In PIM-ISA, which PIMCOMP-NN and RAPTOR emit and pimsim-nn times, loops are unrolled, addresses go into registers,
    and what it lacks is made of what it has; what it cannot express is refused with core, instruction and ONNX node.
    Beside the program stand the contents of crossbars and of global memory (with the stored input), and a chip for
    `emu time`. docs/interop.md has the forms.

    As assembly text, comments number the instructions as errors do: main[12].

    A NETWORK is a standard one with random weights, or a small kernel such as kernels/mm: a product, a contraction or a
    convolution. It is made without any download.
    """
    if listing:
        listed_alone("--list", "all networks and writes none")
        return _list()
    if subject is None:
        raise click.UsageError("name a directory of programs, or a built-in network (--list shows all)")
    form = form or _form_of(subject)
    if form == ONNX:
        refuse_besides((*_ALWAYS, "seed", "quantize"), "--to onnx, which writes a built-in network")
        return _network(subject, _path(NEW_FILE, output), options["seed"], options["quantize"])
    programs, folder = _converted(PROGRAMS, "subject", subject), _path(NEW_FOLDER, output)
    if form == ASM:
        refuse_besides((*_ALWAYS, "core"), "--to asm")
        return _text(programs, options["core"], folder)
    refuse_besides((*_ALWAYS, "weights"), f"PIM-ISA (--to {form})")
    if folder is None:
        raise click.UsageError("say by -o DIRECTORY where the program and what stands beside it go")
    from emu.image.reader import open_image
    from emu.interop.pim_isa.exporting.export import export_image

    exported = export_image(open_image(programs), folder, form, options["weights"])
    return Answer(exported.to_dict(), [exported.line()])


def _form_of(subject: str) -> str:
    """What is written of something if nobody says it; raises UsageError where that could be two things."""
    is_network = subject in network_names()
    if not Path(subject).exists():
        return ONNX if is_network or subject.startswith("kernels/") or not Path(subject).suffix else DEFAULT
    if is_network:
        raise click.UsageError(
            f"{subject} is a built-in network, and there is a ./{subject}: say which one by --to onnx, or ./{subject}"
        )
    return DEFAULT


def _path(kind: click.ParamType, text: str | None) -> Path | None:
    return None if text is None else _converted(kind, "output", text)


def _converted(kind: click.ParamType, name: str, text: str) -> Path:
    """The path that a parameter is for what is asked for: what that is decides what it may be."""
    ctx = click.get_current_context()
    (parameter,) = (each for each in ctx.command.params if each.name == name)
    return kind.convert(text, parameter, ctx)


def _text(out: Path, core: int | None, to: Path | None) -> Answer:
    """Programs as text that is printed, or in a directory."""
    from emu.asm.disassembler import disassemble

    text = disassemble(out, to, core)
    values = {"out": str(out), "core": core, ("text" if to is None else "file"): text}
    return Answer(values, [Verbatim(text) if to is None else text])


def _network(name: str, to: Path | None, seed: int, quantize: str | None) -> Answer:
    """A built-in network as an ONNX file."""
    from emu.output.whole_file import write_whole
    from launch.zoo import build

    model = build(name, seed)
    if quantize is not None:
        from launch.zoo.quantised import quantised

        model = quantised(model, quantize, seed)
    content = model.SerializeToString(deterministic=True)
    path = to or Path(f"{name.rpartition('/')[2]}.onnx")
    write_whole(path, content, streams=True)
    form = f", quantised ({quantize})" if quantize else ""
    return Answer(
        {"network": name, "file": str(path), "bytes": len(content), "seed": seed, "quantize": quantize},
        [f"{path}: {name}{form}, {len(content) / 1e6:.1f} MB, seed {seed}"],
    )


def _list() -> Answer:
    """All networks with their sizes, and the names of the kernels."""
    from launch.zoo import KERNELS, NETWORKS
    from launch.zoo.kernels import BUILDERS

    kernels = [f"{KERNELS}{name}" for name in BUILDERS]
    sizes = [
        {"network": name, "inputs": row.inputs, "weights": round(row.weights * 1e6), "macs": round(row.macs * 1e6)}
        for name, row in NETWORKS.items()
    ]
    rows = [(name, row.inputs, f"{row.weights:g}", f"{row.macs:g}") for name, row in NETWORKS.items()]
    return Answer(
        {"networks": list(NETWORKS), "sizes": sizes, "kernels": kernels},
        [
            Table("", ("network", "input", "million weights", "million MACs"), rows, "llrr"),
            Table("", ("kernel",), [(name,) for name in kernels]),
        ],
    )
