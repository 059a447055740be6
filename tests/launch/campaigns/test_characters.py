"""Text from anywhere in one line, and in XML."""

from xml.etree import ElementTree

from hypothesis import example, given
from hypothesis import strategies as st

from emu.wording import visible
from launch.campaigns.characters import for_xml

ANY = st.text(st.characters(exclude_categories=()))


@given(ANY)
@example("a\nb\x1b[31m\udcff\u2028")
def test_visible_text_is_one_line_that_can_be_printed(text: str) -> None:
    shown = visible(text)
    assert shown.isprintable() and shown.encode("utf-8").decode("utf-8") == shown
    assert len(shown.splitlines()) <= 1


@given(st.text(st.characters(categories=("L", "N", "P", "S"))))
def test_what_can_be_printed_stays(text: str) -> None:
    assert visible(text) == text


@given(ANY)
@example("\x00\r\ufffe\ud800]]>&<\t")
def test_any_text_can_stand_in_xml(text: str) -> None:
    element = ElementTree.Element("text", {"attribute": for_xml(text)})
    element.text = for_xml(text)
    read = ElementTree.fromstring(ElementTree.tostring(element, encoding="utf-8"))
    assert (read.text or "") == for_xml(text) == read.attrib["attribute"]


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_plain_text_is_the_same_in_xml(text: str) -> None:
    assert for_xml(text) == text
