"""Every paper and figure that there is: well-formed, found by name, and compared by the same rules."""

import re

import pytest
from papers import FIGURES, words_of

from emu.errors import InputError
from launch.cli import cli
from launch.papers.frame.comparing import met
from launch.papers.frame.figure import WantedOptions, range_of
from launch.papers.frame.library import FOLDER, paper, paper_names, requested


def test_a_file_is_a_paper():
    files = {file.stem.replace("_", "-") for file in FOLDER.glob("*.py")} - {"--init--"}
    assert set(paper_names()) == files
    assert all(paper(name).about and paper(name).source and paper(name).figures for name in files)


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_says_what_it_measures_and_shows(name):
    figure = FIGURES[name]
    measurements = figure.measure(WantedOptions())
    assert figure.title and figure.columns and measurements
    assert len({each.key for each in measurements}) == len({each.label for each in measurements}) == len(measurements)
    assert {*figure.takes} <= {*WantedOptions.__dataclass_fields__}
    assert all(figure.measure(WantedOptions()) == figure.measure(WantedOptions()) for _ in range(1))


@pytest.mark.parametrize("name", FIGURES)
def test_its_commands_are_commands(name):
    """Each line parses as a command line of `emu`, but for lines that explain what no command makes."""
    for measurement in FIGURES[name].measure(WantedOptions())[::7]:
        for line in measurement.commands:
            if not line.startswith("#"):
                command, *words = words_of(line)
                known = {option for each in cli.get_command(None, command).params for option in each.opts}
                assert {word for word in words if re.match("--?[a-z]", word)} <= known, line


@pytest.mark.parametrize("name", FIGURES)
def test_what_is_published_can_be_compared_and_explained(name):
    for entry in FIGURES[name].published:
        assert entry.what and entry.why and entry.of
        assert entry.paper is not None or entry.rerun is not None


@pytest.mark.parametrize(
    ("given", "ours", "close"),
    [
        (10.0, 8.0, True),
        (10.0, 12.0, True),
        (10.0, 7.99, False),
        (10.0, 12.01, False),
        ((5.0, 8.0), 4.0, True),
        ((5.0, 8.0), (5.0, 9.6), True),
        ((5.0, 8.0), (3.9, 8.0), False),
        ((5.0, 8.0), (5.0, 46.7), False),
        (1.0, (1.0, 1.3), False),
    ],
)
def test_what_is_met(given, ours, close):
    assert met(given, ours) == close


def test_a_range_of_equal_numbers_is_one():
    assert range_of([2.0, 2.0]) == 2.0 and range_of([3.0, 1.0, 2.0]) == (1.0, 3.0)


@pytest.mark.parametrize(
    ("name", "wanted", "said"),
    [
        ("rapto", {}, "there is no paper 'rapto'; did you mean 'raptor'?"),
        ("levels", {}, "there is no paper 'levels', but cim-mlc/levels"),
        ("zzzz", {}, "there is no paper 'zzzz': there are chips, cim-mlc"),
        ("raptor/maping", {}, "paper raptor has no figure 'maping'; did you mean 'mapping'?"),
        ("raptor/zzzz", {}, "paper raptor has no figure 'zzzz': it has mapping, instructions"),
        ("raptor/mapping", {"sizes": (3,)}, "sizes means nothing to raptor/mapping: leave it out"),
        ("raptor/ir-size", {"repeat": 3}, "repeat means nothing to raptor/ir-size: leave it out"),
        ("cim-mlc", {"repeat": 3}, "repeat means nothing to cim-mlc: leave it out"),
        ("cinnamon", {"flow": "credits:4"}, "flow means nothing to cinnamon/products: leave it out"),
    ],
)
def test_what_is_asked_for_wrongly(name, wanted, said):
    with pytest.raises(InputError, match=re.escape(said)):
        requested(name, "", WantedOptions(**wanted))


def test_an_option_goes_to_the_figures_that_take_it():
    found = {each.figure.name: each.wanted.sizes for each in requested("raptor", "", WantedOptions(sizes=(4,)))}
    assert found == {"mapping": (), "instructions": (4,), "compile-time": (4,), "ir-size": (4,), "cores": ()}
    (one,) = requested("raptor", "ir-size", WantedOptions(sizes=(4, 6)))
    assert one.words == ("paper", "raptor/ir-size", "--sizes", "4,6")
