"""Figures of scale: a measured page, and the model that is made of runs."""

import pytest

from launch.bench import scale_page
from launch.bench.scale import CORE, KINDS, ScaleFigures, ScaleModel
from launch.text.markdown_page import end_marker, marker


def figures(cores, agents):
    """A run of which each core takes 3 ms and 5 MB, each agent 200 ms and 40 MB, and all 1 s and 50 MB besides."""
    memory = {**dict.fromkeys(KINDS, 0), "launcher": 50_000_000 + 40_000_000 * agents, CORE: 5_000_000 * cores}
    files = {**dict.fromkeys(KINDS, 8), "launcher": 16}
    busy = 1 + 0.2 * agents + 0.003 * cores
    return ScaleFigures(cores, agents, 1.0, 0.5, busy, 0.001, memory, files, (0.01, 0.002))


RUNS = [figures(cores, agents) for cores in (64, 1024) for agents in (0, 4)]


def test_the_model_finds_what_figures_are_made_of():
    model = ScaleModel.of(RUNS, [run.busy for run in RUNS])
    assert (model.fixed, model.agent, model.core) == pytest.approx((1, 0.2, 0.003))


def test_the_page_shows_runs_and_their_model():
    text = scale_page.block("A machine", RUNS, [figures(0, 64)])
    assert "* processor time of a run that does little: 1.00 s, 0.20 s for each agent, 3.0 ms for each core\n" in text
    assert "* memory: 50 MB, 40 MB for each agent, 5.00 MB for each core" in text
    assert "| 1,024 | none | 1.0 | 4.1 | 0.5 | 5.0 |" in text
    assert "| 64 | 1.0 | 13.8 | 0.5 | 0.0 | 1 | 1.00% | 0.20% | 16 |" in text
    assert scale_page.models(RUNS[:1]) == []


def page(folder):
    path = folder / "page.md"
    path.write_text(f"# Scale\n\n{marker(scale_page.BLOCK)}\n\n{end_marker()}\n")
    return path


def test_too_many_cores_for_the_memory_and_a_page_without_a_place_are_refused(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(scale_page, "available_memory", lambda: 100 << 20)
    assert scale_page.main([str(page(tmp_path)), "--cores", "64"]) == 2
    assert "64 cores take up to 320 MiB, and 100 MiB are free: measure fewer" in capsys.readouterr().err
    (tmp_path / "none.md").write_text("# Scale\n")
    assert scale_page.main([str(tmp_path / "none.md")]) == 2
    assert "none.md has no lines" in capsys.readouterr().err
    with pytest.raises(SystemExit) as end:
        scale_page.main(["page.md", "--idle", "4,0"])
    assert end.value.code == 2 and "--idle: '4,0' has a number below 1" in capsys.readouterr().err


@pytest.mark.full
def test_a_page_is_measured(tmp_path):
    path = page(tmp_path)
    assert scale_page.main([str(path), "--cores", "3,5", "--agents", "0,2", "--idle", "2"]) == 0
    rows = [line for line in path.read_text().splitlines() if line.startswith("| ")]
    assert len(rows) == 2 + 4 + 2 + 1  # of two tables, with their heads
