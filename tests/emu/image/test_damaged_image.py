"""Damaged images: whatever is damaged is named, and never gives anything but InputError."""

from dataclasses import replace

import pytest
from draws import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from two_core_image import cores, edit_manifest

from emu.errors import InputError, ProgramError
from emu.image.reader import open_image
from emu.image.seal import seal
from emu.program.codec import encode_program
from emu.program.program import Source


@pytest.mark.parametrize("name", ["core_0002.prog", "core_0007.xbar", "inputs.npz"])
def test_a_changed_byte_names_the_file_and_seal(out, name):
    data = bytearray((out / name).read_bytes())
    data[len(data) // 2] ^= 1
    (out / name).write_bytes(data)
    with pytest.raises(
        ProgramError, match=rf"{name} has changed .*run `emu import --seal .*out` if the edit was deliberate"
    ):
        open_image(out)
    assert open_image(out, verify=False).manifest.global_size == 64


@pytest.mark.parametrize("name", ["core_0002.prog", "core_0007.xbar", "golden.npz"])
def test_a_missing_file_is_named(out, name):
    (out / name).unlink()
    for call in (open_image, seal):
        with pytest.raises(ProgramError, match=f"file '{name}' of the manifest is missing"):
            call(out)


def test_seal_accepts_a_deliberate_edit(out):
    data = bytearray((out / "core_0007.xbar").read_bytes())
    data[0] = 99
    (out / "core_0007.xbar").write_bytes(data)
    assert seal(out) == 1
    assert open_image(out).weights(7)[0][0, 0] == 99
    assert seal(out) == 0


def test_no_image(tmp_path):
    with pytest.raises(ProgramError, match=r"is no image: it has no manifest.json"):
        open_image(tmp_path)


def test_a_program_in_the_wrong_file_is_refused(out):
    (out / "core_0002.prog").write_bytes((out / "core_0007.prog").read_bytes())
    with pytest.raises(ProgramError, match=r"core_0002.prog: is the program of core 7, not of core 2"):
        open_image(out, verify=False).program(2)


def test_a_short_crossbar_file_is_refused(out):
    (out / "core_0007.xbar").write_bytes(bytes(127))
    with pytest.raises(ProgramError, match=r"core 7: group 1 is \[128, 256\) of core_0007.xbar, which has 127 bytes"):
        open_image(out, verify=False).weights(7)


def test_a_missing_crossbar_entry_is_refused(out):
    edit_manifest(out, lambda record: record["cores"][1].update(xbar=""))
    with pytest.raises(ProgramError, match=r"core 7 has array groups, but no .xbar file"):
        open_image(out).weights(7)


def test_peers_must_have_programs(out):
    edit_manifest(out, lambda record: record["cores"].pop(0))
    with pytest.raises(ProgramError, match=r"core_0007.prog: core 7, main\[0\] send: core 2 has no program"):
        open_image(out).program(7)


def test_an_unknown_core_is_named(out):
    with pytest.raises(ProgramError, match="core 3 has no program"):
        open_image(out).program(3)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda r: r.update(version=5), r"manifest.json: image format version 5 is newer than this emulator's 4"),
        (lambda r: r.update(version=1), r"version 1 is older than this emulator's 4: compile again"),
        (
            lambda r: r.update(tensors=[{"tensor": "", "node": "n", "absent": ""}]),
            r"tensors\[0\].tensor: expected a",
        ),
        (lambda r: r.update(tensors=[{"tensor": "t"}]), r"tensors\[0\]: key 'node' is missing"),
        (lambda r: r.update(warnings=[3]), r"warnings\[0\]: expected a non-empty string, got 3"),
        (lambda r: r.update(version="1"), r"version: expected an integer from 1 to 2147483648, got '1'"),
        (lambda r: r.update(format="zip"), r"not the manifest of a compiled image"),
        (lambda r: r.pop("format"), r"not the manifest of a compiled image"),
        (lambda r: r.pop("cores"), r"key 'cores' is missing"),
        (lambda r: r.update(global_sise=1), r"unknown key 'global_sise'; did you mean 'global_size'"),
        (lambda r: r.update(global_size=-1), r"global_size: expected an integer from 0 to"),
        (
            lambda r: r.update(global_size=16),
            r"outputs\[0\]: a tile is \[16, 32\) of a global memory in use of 16 bytes",
        ),
        (lambda r: r.update(cores={}), r"cores: expected a list, got {}"),
        (lambda r: r["cores"][0].update(core=1.5), r"cores\[0\].core: expected an integer from 0 to 7, got 1.5"),
        (lambda r: r["cores"][0].update(core=7), r"cores: 7 occurs twice"),
        (
            lambda r: r["cores"][0].update(program="../x"),
            r"cores\[0\].program: expected the name of a file in the same",
        ),
        (lambda r: r["cores"][0].update(program="other"), r"file 'other' has no digest under 'files'"),
        (lambda r: r["inputs"][0].update(dtype="f64"), r"inputs\[0\].dtype: expected one of f32, .*, got 'f64'"),
        (lambda r: r["inputs"][0].update(name=""), r"inputs\[0\].name: expected a non-empty string, got ''"),
        (lambda r: r["inputs"][0].update(name="\ud800"), r"inputs\[0\].name: .* is no valid Unicode text"),
        (lambda r: r["inputs"][0]["shape"].__setitem__(1, -1), r"inputs\[0\].shape\[1\]: expected an integer from 0"),
        (lambda r: r["inputs"][0].update(extent=[3, 4]), r"inputs\[0\]: extent \[3, 4\] must hold 3 to 13 sizes"),
        (lambda r: r["inputs"][0].update(extent=[3, 2, 1]), r"inputs\[0\]: shape .* is not extent"),
        (lambda r: r["inputs"][0]["tiles"][0]["box"].__setitem__(2, [0, 2]), r"inputs\[0\]: its tiles .* must cover"),
        (lambda r: r["inputs"].append(r["inputs"][0]), r"inputs: 'x' occurs twice"),
        (lambda r: r["model"].update(sha256="abc"), r"model.sha256: expected a SHA-256 of 64 hexadecimal digits"),
        (lambda r: r["options"].update(k=1), r"options.k: expected a string, got 1"),
        (lambda r: r["arch"]["core"].update(events=0), r"arch: core.events must be from 1 to 65536, not 0"),
        (lambda r: r.update(arch=[]), r"arch: expected an object, got \[\]"),
        (lambda r: r["files"].update({"../etc": r["files"]["golden.npz"]}), r"'../etc' cannot be the name of a file"),
        (lambda r: r["files"]["golden.npz"].update(sha256=""), r"files.golden.npz.sha256: expected a SHA-256"),
        (lambda r: r.update(golden="/etc/passwd"), r"golden: expected the name of a file in the same directory"),
    ],
)
def test_manifest_mistakes_name_file_and_key(out, edit, message):
    edit_manifest(out, edit)
    with pytest.raises(InputError, match=rf"manifest.json: .*{message.removeprefix('manifest.json: ')}"):
        open_image(out)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "manifest.json is empty"),
        ("[" * 100_000, "not valid JSON"),
        ('{"format": NaN}', "not valid JSON: NaN is not allowed"),
        ('{"format": 1, "format": 2}', "a key occurs twice"),
        ("[]", r"expected an object, got \[\]"),
        ('{"version": ' + "9" * 5000 + "}", "not valid JSON"),
    ],
)
def test_broken_json(out, text, message):
    (out / "manifest.json").write_text(text)
    with pytest.raises(ProgramError, match=message):
        open_image(out)


def test_a_manifest_that_is_no_text(out):
    (out / "manifest.json").write_bytes(b"\xff\xff")
    with pytest.raises(ProgramError, match="not UTF-8 text"):
        open_image(out)


@given(st.data())
@settings(max_examples=examples(75, 150), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_random_mutations_give_nothing_but_input_errors(out, data):
    """With `verify=False`, so that the loaders behind the digests are reached."""
    files = sorted(path for path in out.iterdir())
    path = data.draw(st.sampled_from(files))
    original = path.read_bytes()
    content = bytearray(original)
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    length = data.draw(st.sampled_from([len(content), len(content), len(content) // 2]))
    path.write_bytes(content[:length])
    try:
        image = open_image(out, verify=False)
        for core in image.cores:
            image.program(core), image.weights(core)
        image.default_inputs(), image.golden()
    except InputError as error:
        assert str(out) in str(error)
    finally:
        path.write_bytes(original)


@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        ("core_0007.prog", lambda data: data[:-9], r"core_0007\.prog: damaged or truncated program file"),
        ("core_0002.prog", lambda data: b"no program", r"core_0002\.prog: "),
        ("core_0007.xbar", lambda data: data[:-64], r"group 1 is .* of core_0007\.xbar, which has"),
        ("inputs.npz", lambda data: data[:-9], r"inputs\.npz is no readable \.npz file"),
        (
            "golden.npz",
            lambda data: data.replace(b"'<i4'", b"'|O' "),
            r"golden\.npz is no readable \.npz file: array 'y'",
        ),
    ],
)
def test_seal_refuses_what_cannot_be_read(out, name, damage, message):
    before = (out / "manifest.json").read_bytes()
    (out / name).write_bytes(damage((out / name).read_bytes()))
    with pytest.raises(InputError, match=message):
        seal(out)
    assert (out / "manifest.json").read_bytes() == before


def test_names_that_are_no_text_are_told_as_such(out):
    content = bytearray((out / "core_0007.prog").read_bytes())
    program = replace(cores()[0][0], sources=(Source("conv"),))
    content = encode_program(program).replace(b"conv", b"co\xffv")
    (out / "core_0007.prog").write_bytes(content)
    with pytest.raises(ProgramError, match=r"core_0007\.prog: the name of a node or tensor, b'co\\xffv', is not UTF-8"):
        seal(out)
