"""Line breaking: Han anywhere but beside its punctuation, Korean and Latin at spaces, nothing lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.proposal.linebreak import CLOSING, OPENING, lines


def width(text):
    """Han is twice as wide as Latin: enough for a test of breaking."""
    return float(sum(2 if ord(character) > 0x2E7F else 1 for character in text))


def broken(text, limit):
    return lines(text, limit, width)


def test_chinese_breaks_between_characters():
    assert broken("一二三四五", 6) == ["一二三", "四五"]


def test_no_line_starts_with_closing_punctuation():
    assert broken("一二三，四五。", 6) == ["一二", "三，四", "五。"]


def test_no_line_ends_with_opening_punctuation():
    assert broken("一二（三）四", 6) == ["一二", "（三）", "四"]


def test_korean_breaks_at_spaces():
    assert broken("가나다 라마바 사", 8) == ["가나다", "라마바", "사"]


def test_a_number_keeps_its_unit_mark():
    assert broken("成本 ¥1,234 元", 10) == ["成本", "¥1,234 元"]


def test_a_piece_wider_than_the_line_is_broken_by_characters():
    assert broken("a" * 25, 10) == ["a" * 10, "a" * 10, "a" * 5]


def test_newlines_are_kept():
    assert broken("一\n\n二", 10) == ["一", "", "二"]


@given(st.text(alphabet="一二三，。（）「」 ab1,.가나", max_size=60), st.integers(8, 40))
def test_nothing_is_lost_and_every_line_fits(text, limit):
    found = broken(text, limit)
    assert "".join(found).replace(" ", "") == text.replace(" ", "")
    assert all(width(line) <= limit for line in found)


@pytest.mark.parametrize("limit", range(12, 40))
def test_punctuation_of_real_text(limit):
    text = "两台 FX100（每台四个端口）在八个节点下，将 TTFT 降至 13.3 秒；瓶颈：阵列端口。“本地盘”为 18.4 秒！"
    for line in broken(text, limit):
        assert line[0] not in CLOSING
        assert line[-1] not in OPENING
