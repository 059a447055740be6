"""The page in a real browser: no error, the figures of --json, and everything follows what is selected."""

import json
import math
from collections.abc import Iterator
from pathlib import Path

import onnx
import pytest
from browser import Browser, find_browser
from commands import DIGITS, Emu
from onnx import helper

from launch.bisect.finding import BisectResult
from launch.images.compilation import compile_image
from launch.report.report import Values
from launch.report.request import ReportRequest

pytestmark = pytest.mark.skipif(not find_browser(), reason="there is no browser: apt-get install chromium")
CELL = "[...one.children].map((cell) => [cell.dataset.key, cell.dataset.value ?? null])"
MIX = "[one.children[0].textContent, Number(one.children[1].dataset.value)]"
LIT = {  # what shows the cores and the nodes that are selected
    "cores": ("#chip-map .chosen", "core"),
    "nodes": ("#graph .chosen", "node"),
    "core rows": ("#cores-table tr.chosen th", "value"),
    "node rows": ("#nodes-table tr.chosen th", "value"),
}


@pytest.fixture(scope="module")
def lasting_browser() -> Iterator[Browser]:
    with Browser() as found:
        yield found


@pytest.fixture
def browser(lasting_browser: Browser) -> Browser:
    lasting_browser.renew()
    return lasting_browser


@pytest.fixture(scope="module")
def page(image: Path, run_file: Path, trace_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from click.testing import CliRunner

    from launch.cli import cli

    path = tmp_path_factory.mktemp("pages") / "page.html"
    words = ["report", image, "--run", run_file, "--trace", trace_file, "--model", DIGITS, "-o", path]
    assert CliRunner().invoke(cli, [str(word) for word in words]).exit_code == 0
    return path


def lit(browser: Browser, what: str) -> set[str]:
    selector, key = LIT[what]
    return set(browser.each(selector, f"one.dataset.{key}"))


def cells(browser: Browser, table: str) -> dict[str, dict[str, str | None]]:
    """The exact values of a table, by the name of the row and the key of the column."""
    return {row[0][1]: dict(row) for row in browser.each(f"#{table} tbody tr", CELL)}


def same(text: str | None, number: float | None) -> bool:
    if text is None or number is None:
        return text is None and number is None
    return math.isclose(float(text), number, rel_tol=1e-12)


def test_tables_have_the_figures_of_json(browser: Browser, page: Path, values: Values) -> None:
    browser.open(page)
    assert browser.said == [] and browser.asked == [page.as_uri()]
    nodes = cells(browser, "nodes-table")
    assert list(nodes) == [node["node"] for node in values["nodes"]]
    for node in values["nodes"]:
        row = nodes[node["node"]]
        assert int(row["cores"]) == len(node["cores"])
        for key in (
            "crossbars",
            "macs",
            "messages",
            "bytes",
            "compute_ps",
            "transfer_ps",
            "path_ps",
            "slack_ps",
            "energy_pj",
        ):
            assert same(row[key], node[key]), (node["node"], key)
        assert same(row["error"], node["error"] and node["error"]["relative"])
    fields = {metric["name"]: metric["fields"] for metric in values["metrics"]}
    rows = cells(browser, "cores-table")
    for core in values["cores"]:
        for name, keys in fields.items():
            assert same(rows[str(core["core"])][name], sum(core[key] for key in keys)), (core["core"], name)
    facts = dict(browser.each(".facts dd", "[one.dataset.key, one.dataset.value]"))
    for part, keys in (
        ("time", ("latency_ps", "period_ps", "energy_pj")),
        ("totals", ("macs", "messages", "byte_hops")),
    ):
        assert all(same(facts[key], values[part][key]) for key in keys)
    wanted = [[row["instruction"], row["executed"]] for row in values["instructions"]]
    assert browser.each("#mix tr", MIX) == wanted
    assert browser.ask("document.querySelector('.verdict').dataset.value") == "right"


def test_figures_show_every_core_pair_link_and_node(browser: Browser, page: Path, values: Values) -> None:
    browser.open(page)

    def count(selector: str) -> int:
        return browser.ask(f"document.querySelectorAll('{selector}').length")

    assert count("#chip-map [role=option]") == len(values["cores"])
    assert count("#chip-map .core") == values["chip"]["cores"]
    assert count("#chip-map line.link") == len(values["chip"]["links"])
    assert count("#matrix [data-from]") == len(values["traffic"])
    assert count("#timeline [data-row]") == len(values["timeline"]["cores"])
    slices = sum(len(core["slices"]) + len(core["requests"]) for core in values["timeline"]["cores"])
    assert count("#timeline [data-slice]") == slices
    assert count("#graph [role=option]") == len(values["nodes"])
    assert count("#graph path.edge") == len(values["graph"]["edges"])
    shades = browser.each("#chip-map .core .scaled", "getComputedStyle(one).fill")
    assert len(set(shades)) == len({core["macs"] for core in values["cores"]})


def test_everything_follows_a_selected_core(browser: Browser, page: Path, values: Values) -> None:
    core = values["cores"][5]
    browser.open(page, f"#core={core['core']}")
    assert lit(browser, "cores") == lit(browser, "core rows") == {str(core["core"])}
    assert lit(browser, "nodes") == lit(browser, "node rows") == set(core["nodes"])
    peers = {p[end] for p in values["traffic"] for end in ("from", "to") if core["core"] in (p["from"], p["to"])}
    found = browser.each("#chip-map .peer", "one.dataset.core")
    assert {int(peer) for peer in found} == peers - {core["core"]}
    assert dict(browser.each("#mix tr", MIX)) == core["executed"]
    browser.ask("document.getElementById('only').click()")
    assert set(cells(browser, "cores-table")) == {str(core["core"])}
    assert set(cells(browser, "nodes-table")) == set(core["nodes"])
    assert browser.ask("document.querySelectorAll('#timeline [data-row]').length") == 1
    browser.key("Escape")
    assert len(cells(browser, "cores-table")) == len(values["cores"]) and not lit(browser, "cores")
    assert browser.said == []


def test_names_of_nodes_may_be_anything(browser: Browser, tmp_path: Path) -> None:
    names = ["a + b|c", "</script><script>alert(1)</script>", "constructor", "__proto__"]
    shape = {"x": [1, 8], "t0": [1, 8], "t1": [1, 8], "t2": [1, 8], "t3": [1, 8]}
    tensors = {name: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, size) for name, size in shape.items()}
    kinds = ["Softmax", "Exp", "Softmax", "Exp"]
    chain = zip(kinds, shape, list(shape)[1:], names, strict=False)
    nodes = [helper.make_node(kind, [before], [after], name=name) for kind, before, after, name in chain]
    graph = helper.make_graph(nodes, "<b>", [tensors["x"]], [tensors["t3"]])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "m.onnx")
    compile_image(tmp_path / "m.onnx", tmp_path / "out", arch="puma", quiet=True)
    html = ReportRequest(outs=(tmp_path / "out",), output=tmp_path / "page.html")
    (tmp_path / "page.html").write_bytes(html.made(html.checked(), html.values()))
    browser.open(tmp_path / "page.html", "#node=constructor")
    assert lit(browser, "nodes") == {"constructor"}
    assert browser.ask("document.querySelectorAll('#path-chain tbody tr.chosen').length") > 0
    assert set(names) <= set(browser.each("#graph [role=option]", "one.dataset.node"))
    move = "new PointerEvent('pointermove', {bubbles: true})"
    told = browser.each(
        "#timeline [data-slice]", f"(one.dispatchEvent({move}), document.getElementById('tip').textContent)"
    )
    assert any("works for a + b|c\nfrom " in text for text in told) and not any("NaN" in text for text in told)
    assert browser.said == []


def test_a_damaged_address_selects_nothing(browser: Browser, page: Path) -> None:
    browser.open(page, "#node=%E0%A4%A")
    assert browser.said == [] and not lit(browser, "cores") and not lit(browser, "nodes")


def test_keys_alone_select_cores_and_nodes(browser: Browser, page: Path, values: Values) -> None:
    browser.open(page)
    browser.ask("document.querySelector('#chip-map [tabindex=\"0\"]').focus()")
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "Enter"):
        browser.key(key)
    core = 2 + values["chip"]["width"]
    assert browser.ask("document.activeElement.dataset.core") == str(core)
    assert lit(browser, "cores") == {str(core)} and browser.ask("location.hash") == f"#core={core}"
    assert f"core {core}: works for" in browser.ask("document.getElementById('selected').textContent")
    assert browser.ask("document.querySelector('#chip-map [aria-selected=true]').dataset.core") == str(core)
    browser.key("Enter")  # again: nothing is selected
    assert not lit(browser, "cores")
    browser.ask("document.querySelector('#graph [tabindex=\"0\"]').focus()")
    browser.key("ArrowDown")
    browser.key(" ")
    name = browser.ask("document.activeElement.dataset.node")
    node = next(node for node in values["nodes"] if node["node"] == name)
    assert name != values["nodes"][0]["node"]
    assert lit(browser, "nodes") == {name} and lit(browser, "cores") == set(map(str, node["cores"]))
    button = f"[...document.querySelectorAll('#nodes-table tbody button')].find((one) => one.textContent === '{name}')"
    assert browser.ask(f"{button}.getAttribute('aria-pressed')") == "true"


def test_all_that_acts_can_be_reached_and_has_a_name(browser: Browser, page: Path) -> None:
    browser.open(page)
    seen = set()
    browser.ask("document.activeElement.blur()")
    for _ in range(60):
        browser.key("Tab")
        seen.add(browser.ask("document.activeElement.closest('section, #bar, nav')?.id ?? ''"))
    assert {"bar", "nav", "chip", "network", "time-line", "nodes"} <= seen
    tree = browser.send("Accessibility.getFullAXTree")["nodes"]
    roles = {
        "button",
        "link",
        "option",
        "listbox",
        "checkbox",
        "combobox",
        "searchbox",
        "textbox",
        "region",
        "img",
        "table",
    }
    nameless = [
        node["role"]["value"]
        for node in tree
        if not node.get("ignored") and node["role"]["value"] in roles and not node.get("name", {}).get("value")
    ]
    assert not nameless
    found = {node["role"]["value"] for node in tree if not node.get("ignored")}
    assert {"listbox", "option", "table", "columnheader", "rowheader", "navigation", "main", "region"} <= found


def test_tables_sort_and_filter(browser: Browser, page: Path, values: Values) -> None:
    browser.open(page)
    heads = "[...document.querySelectorAll('#cores-table thead button')]"
    head = f"{heads}.find((one) => one.textContent === 'multiplications')"
    browser.ask(f"{head}.click()")
    order = [int(core) for core in browser.each("#cores-table tbody th", "one.dataset.value")]
    macs = {core["core"]: core["macs"] for core in values["cores"]}
    assert [macs[core] for core in order] == sorted(macs.values(), reverse=True)
    assert browser.ask(f"{head}.closest('th').getAttribute('aria-sort')") == "descending"
    browser.ask(
        "const box = document.querySelector('#nodes input'); box.value = 'CONV'; box.dispatchEvent(new Event('input'))"
    )
    assert set(cells(browser, "nodes-table")) == {
        node["node"] for node in values["nodes"] if "conv" in node["node"].lower()
    }


def test_colours_follow_the_metric_and_the_scheme(browser: Browser, page: Path) -> None:
    back = "getComputedStyle(document.body).backgroundColor"
    browser.open(page)
    assert browser.ask(back) == "rgb(255, 255, 255)"
    browser.media(scheme="dark")
    assert browser.ask(back) == "rgb(17, 22, 28)"
    browser.media("print", "dark")  # paper is white
    assert browser.ask(back) == "rgb(255, 255, 255)"
    assert browser.ask("getComputedStyle(document.querySelector('nav')).display") == "none"
    shades = ("#chip-map .core .scaled", "one.style.getPropertyValue('--v')")
    before = browser.each(*shades)
    browser.ask("document.getElementById('metric').value = 'traffic'")
    browser.ask("document.getElementById('metric').dispatchEvent(new Event('change'))")
    assert browser.each(*shades) != before
    assert browser.said == []


def test_strange_names_and_programs_without_anything_are_shown(browser: Browser, emu: Emu, tmp_path: Path) -> None:
    text = """arch tiny
input "x" f32[1, 4] at 0x00
output "y" f32[1, 4] at 0x10
core 0 {
  main {
    @ "<b>&amp;'"
    ld l[0x00], g[0x00], 16
    @ "a/b c"
    st g[0x10], l[0x00], 16
    @ none
    halt
  }
}
"""
    (tmp_path / "a.asm").write_text(text)
    assert emu("import", tmp_path / "a.asm", "-o", tmp_path / "a").exit_code == 0
    assert emu("report", tmp_path / "a", "-o", tmp_path / "a.html").exit_code == 0
    browser.open(tmp_path / "a.html", "#node=%3Cb%3E%26amp%3B%27")
    assert set(cells(browser, "nodes-table")) == {"<b>&amp;'", "a/b c"}
    assert lit(browser, "nodes") == {"<b>&amp;'"} and lit(browser, "cores") == {"0"}
    assert not browser.ask("document.getElementById('timeline')") and browser.said == []
    assert "table [timing]" in browser.ask("document.getElementById('absent').textContent")


def test_crossbars_that_are_written_are_shown(browser: Browser, emu: Emu, tmp_path: Path) -> None:
    text = """arch tiny
input "x" i8[1, 8] at 0x00
output "y" i32[1, 4] at 0x10
core 0 {
  group 0 i8.i8.i32 rows 2 cols 4 bank 0
  group 1 i8.i8.i32 rows 2 cols 4 bank 0
  main {
    @ "k"
    ld l[0x00], g[0x00], 8
    loop i 3 {
      xbwrite.i8 l[0x00], group 0, row 0, rows 2
      mvmul.i8.i32 l[0x40], l[0x00], group 0
      xbwrite.i8 l[0x00], group 1, row 0, rows 2
      mvmul.i8.i32 l[0x40], l[0x00], group 1
    }
    st g[0x10], l[0x40], 16
    halt
  }
}
"""
    (tmp_path / "a.asm").write_text(text)
    assert emu("import", tmp_path / "a.asm", "-o", tmp_path / "a").exit_code == 0
    assert emu("report", tmp_path / "a", "-o", tmp_path / "a.html").exit_code == 0
    wear = json.loads(emu("report", tmp_path / "a", "--json").stdout)["wear"]
    browser.open(tmp_path / "a.html")
    (row,) = cells(browser, "wear-crossbars").values()
    (crossbar,) = wear["crossbars"]
    assert all(same(row[key], crossbar[key]) for key in ("events", "rows", "cells", "writes_per_cell"))
    assert [row["cells"] for row in cells(browser, "wear-groups").values()] == ["24"]  # named by their core
    facts = dict(browser.each(".facts dd", "[one.dataset.key, one.dataset.value]"))
    assert same(facts["cell_writes"], wear["cell_writes"])
    assert "Most worn: core 0, crossbar 0 of the bank" in browser.ask("document.getElementById('wear').textContent")
    assert browser.said == []


def test_what_a_search_has_found_selects_its_node_and_core(
    browser: Browser, image: Path, values: Values, run_file: Path, emu: Emu, tmp_path: Path
) -> None:
    node = next(node for node in values["nodes"] if node["cores"])
    found = BisectResult(0, node=node["node"], core=node["cores"][0])
    run = json.loads(run_file.read_text()) | {"exit_code": 1, "reason": "y differs", "bisect": found.to_dict()}
    (tmp_path / "wrong.json").write_text(json.dumps(run))
    assert emu("report", image, "--run", tmp_path / "wrong.json", "-o", tmp_path / "page.html").exit_code == 0
    browser.open(tmp_path / "page.html")
    assert browser.each(".finding pre", "one.textContent") == ["\n".join(found.lines())]
    for kind, name in (("node", found.node), ("core", found.core)):
        browser.ask(
            f"[...document.querySelectorAll('.finding button')].find((b) => b.textContent.includes('{kind}')).click()"
        )
        assert lit(browser, f"{kind} rows") == {str(name)}
    assert browser.said == []


def test_two_compilations_stand_side_by_side(browser: Browser, image: Path, emu: Emu, tmp_path: Path) -> None:
    assert emu("report", "--compare", image, image, "-o", tmp_path / "two.html").exit_code == 0
    told = json.loads(emu("report", "--compare", image, image, "--json").stdout)
    browser.open(tmp_path / "two.html")
    rows = cells(browser, "figures-table")
    for row in told["figures"]:
        assert same(rows[row["title"]]["a"], row["a"]) and same(rows[row["title"]]["b"], row["b"])
    for side in "ab":
        assert browser.ask(f"document.querySelectorAll('#chip-{side} [role=option]').length") == 55
    assert browser.said == []
