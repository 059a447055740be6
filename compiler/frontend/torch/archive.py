"""Looks into a file of `torch.export.save` before torch does: what torch would unpickle or evaluate is refused.

`torch.export.load` is no safe reader: it unpickles sample inputs, weights and constants where the file says so, loads
shared libraries, looks operators up by any dotted name, and gives sizes that are expressions to Python's `eval`. Here
the archive is read as what it is, a zip of JSON and of raw bytes: torch is then given a copy that holds those only,
with operators of its own libraries and expressions of known functions.
"""

from __future__ import annotations

import ast
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from emu.errors import CompileError, shown
from emu.files import open_file
from emu.files import shown as shown_path

MAX_ARCHIVE = 1 << 32  # bytes
MAX_RECORDS = 1 << 17
MAX_TEXT = 1 << 26  # bytes of the description of a graph
_MODEL, _SAMPLES = "models/model.json", "data/sample_inputs/model.pt"
_CONFIGS = ("data/weights/model_weights_config.json", "data/constants/model_constants_config.json")
_PLAIN = re.compile(
    r"(models/model\.json|data/(weights|constants)/(weight_\d+|tensor_\d+|model_(weights|constants)_config\.json)"
    r"|archive_format|archive_version|byteorder|version|\.data/[a-z_]+|extra/[^/]+)"
)
_OPERATOR = re.compile(
    r"torch\.ops\.(aten|prim|prims|quantized_decomposed|torchao|torchvision)\.[a-zA-Z]\w*\.[a-zA-Z]\w*"
    r"|torch\.ops\.higher_order\.[a-z]\w*|_operator\.[a-z]\w*|math\.[a-z]\w*|torch\.sym_[a-z]\w*"
)
_REMEMBERED = ("stack_trace", "nn_module_stack", "torch_fn")  # of the metadata of nodes: texts, which stay texts
_STRUCTURES = (None, "builtins.tuple", "builtins.list", "builtins.dict", "collections.OrderedDict")
_FUNCTION = re.compile(
    r"Symbol|Integer|Float|Rational|Add|Mul|Pow|Max|Min|Mod|PythonMod|FloorDiv|CleanDiv|CeilDiv|IntTrueDiv"
    r"|FloatTrueDiv|ModularIndexing|ToFloat|TruncToInt|CeilToInt|FloorToInt|Eq|Ne|Equality|Unequality|LessThan"
    r"|StrictLessThan|GreaterThan|StrictGreaterThan|Le|Lt|Ge|Gt|And|Or|Not|true|false|[a-z]\d+"
)
_AGAIN = "export the module again with torch.export.save"
_PLAINLY = "keep plain tensors in the module"


def harmless_copy(path: Path) -> io.BytesIO:
    """The archive with what torch may be given of it; raises CompileError for anything that it would execute.

    Sample inputs, which are pickled, are left out, as is what nodes remember of Python objects.
    """
    copy = io.BytesIO()
    try:
        with (
            open_file(path, CompileError, MAX_ARCHIVE) as file,
            zipfile.ZipFile(file) as archive,
            zipfile.ZipFile(copy, "w", zipfile.ZIP_STORED) as made,
        ):
            for name, data in _records(archive, path):
                made.writestr(name, data)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, RuntimeError, NotImplementedError, EOFError, ValueError) as error:
        raise CompileError(f"{shown_path(path)} is no file of torch.export.save, or is damaged: {error}") from None
    copy.seek(0)
    return copy


def _records(archive: zipfile.ZipFile, path: Path) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of each record that torch may read."""
    entries = archive.infolist()
    if len(entries) > MAX_RECORDS:
        _refuse(path, f"holds {len(entries)} files, where {MAX_RECORDS} are the most", _AGAIN)
    folders = {entry.filename.partition("/")[0] for entry in entries}
    names = {entry.filename.partition("/")[2] for entry in entries}
    if len(folders) != 1 or len(names) != len(entries) or not {_MODEL, *_CONFIGS} <= names:
        _refuse(path, "is not as torch.export.save writes files since torch 2.8", _AGAIN)
    for entry in entries:
        name = entry.filename.partition("/")[2]
        if name == _SAMPLES:
            yield entry.filename, b""
            continue
        if not _PLAIN.fullmatch(name):
            advice = "keep plain tensors in the module, and what is compiled already out of the file"
            _refuse(path, f"holds {shown(name)}, which torch would unpickle, or load as code", advice)
        if entry.compress_type != zipfile.ZIP_STORED:
            _refuse(path, "is compressed, which torch.export.save does not do", _AGAIN)
        data = archive.read(entry)
        if name == _MODEL or name in _CONFIGS:
            document = _json(data, name, path)
            _check(document, path)
            data = json.dumps(document).encode()
        yield entry.filename, data


def _json(data: bytes, name: str, path: Path) -> Any:
    if len(data) > MAX_TEXT:
        _refuse(path, f"has a {name} of {len(data)} bytes, of which {MAX_TEXT} are read", _AGAIN)
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        _refuse(path, f"has a damaged {name} ({error})", _AGAIN)


def _check(document: Any, path: Path) -> None:
    """Refuse what torch would execute of a document, and take away what nodes remember of Python objects."""
    waiting: list[Any] = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            for key, member in value.items():
                if key in _CHECKS:
                    _CHECKS[key](member, value, path)
            if isinstance(value.get("metadata"), dict):
                value["metadata"] = {key: text for key, text in value["metadata"].items() if key in _REMEMBERED}
            waiting += value.values()


def _check_plain(member: Any, around: Mapping[str, Any], path: Path) -> None:
    if member is not False:
        _refuse(path, "holds weights or constants that are pickled, which are not read", _PLAINLY)


def _check_objects(member: Any, around: Mapping[str, Any], path: Path) -> None:
    _refuse(path, "holds objects of classes, which are not read", _PLAINLY)


def _check_target(member: Any, around: Mapping[str, Any], path: Path) -> None:
    """A node has its inputs beside it; what else has a target names a tensor of the module."""
    if "inputs" in around:
        _check_operator(member, around, path)


def _check_operator(member: Any, around: Mapping[str, Any], path: Path) -> None:
    if not isinstance(member, str) or not _OPERATOR.fullmatch(member):
        _refuse(path, f"calls {shown(member)}, which is no operator of torch's libraries", "write the module otherwise")


def _check_structure(member: Any, around: Mapping[str, Any], path: Path) -> None:
    """What inputs or outputs stand in, JSON in a text: types of Python alone, as others are imported by name."""
    waiting: list[Any] = [_json(member.encode(), "structure", path)] if isinstance(member, str) else [member]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            if value.get("type") not in _STRUCTURES:
                kind = shown(value.get("type"))
                _refuse(path, f"has inputs or outputs in {kind}", "give and return tuples, lists and dictionaries")
            waiting += value.get("children_spec", [])


def _check_expression(member: Any, around: Mapping[str, Any], path: Path) -> None:
    """A size that is an expression: calls of known functions on numbers, names and such calls."""
    try:
        tree = ast.parse(member, mode="eval")
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        _refuse(path, f"has a size that is no expression ({shown(member)})", _AGAIN)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            good = _FUNCTION.fullmatch(node.id) is not None
        elif isinstance(node, ast.Call):
            good = isinstance(node.func, ast.Name)
        elif isinstance(node, ast.Constant):
            good = isinstance(node.value, bool | int | float) or re.fullmatch(r"\w{1,64}", str(node.value)) is not None
        else:
            good = isinstance(node, ast.Expression | ast.Load | ast.keyword | ast.UnaryOp | ast.USub)
        if not good:
            _refuse(path, f"has a size that is no arithmetic ({shown(member)})", _AGAIN)


_CHECKS: Mapping[str, Callable[[Any, Mapping[str, Any], Path], None]] = {
    "use_pickle": _check_plain,
    "as_custom_obj": _check_objects,
    "as_opaque_obj": _check_objects,
    "target": _check_target,
    "as_operator": _check_operator,
    "in_spec": _check_structure,
    "out_spec": _check_structure,
    "expr_str": _check_expression,
}


def _refuse(path: Path, why: str, advice: str) -> NoReturn:
    raise CompileError(f"{shown_path(path)} {why}: {advice}")
