"""The proposal as a buyer gets it: opened, read back, compared with the evaluation figure by figure."""

import re
from datetime import date
from io import BytesIO

import openpyxl
import pdfplumber
import pypdf
import pytest

import measurements
import planner
import pricing
from planner.proposal import fonts, theme
from planner.proposal.blocks import Cards, Document, Heading, Meta, Table, Text
from planner.proposal.charts import log_ticks, nice_ticks
from planner.proposal.cover import Cover
from planner.proposal.formats import Formats
from planner.proposal.layout import render
from planner.proposal.pdf import proposal_document, proposal_pdf
from planner.proposal.write import write_proposal
from planner.proposal.xlsx import proposal_xlsx
from planner.wording import LOCALES, Wording

SCENARIO = planner.load_scenario("cold-recovery")
EVIDENCE = measurements.load_evidence(SCENARIO.evidence.datasets)
BOOK = pricing.load_book("fx-reference", on=date(2026, 12, 1))
EVALUATION = planner.evaluate(SCENARIO, EVIDENCE, BOOK)
COVER = Cover(customer="示例客户", recipient="王工 <b>&amp;</b> 김 과장 𠮷", serial="FX-2026-0042")


@pytest.fixture(scope="module", params=LOCALES)
def made(request):
    return request.param, proposal_pdf(EVALUATION, request.param, COVER)


def text_of(pdf):
    return "\n".join(page.extract_text() for page in pypdf.PdfReader(BytesIO(pdf)).pages)


def squeezed(text):
    return re.sub(r"\s", "", text)


def test_the_sentence_and_every_section_can_be_read_back(made):
    locale, pdf = made
    text, say = squeezed(text_of(pdf)), Wording(locale)
    assert squeezed(say.text(EVALUATION.headline.reason, **EVALUATION.headline.figures)) in text
    for block in proposal_document(EVALUATION, locale, Cover()).blocks:
        if isinstance(block, Heading):
            assert squeezed(block.text) in text, block.text


def test_every_figure_of_the_cards_and_tables_stands_in_the_text(made):
    locale, pdf = made
    text = squeezed(text_of(pdf))
    for block in proposal_document(EVALUATION, locale, Cover()).blocks:
        if isinstance(block, Cards):
            assert all(squeezed(card.value) in text for card in block.cards)
        if isinstance(block, Table):
            for row in block.rows:
                for cell in row:
                    for line in cell.split("\n"):
                        assert squeezed(fonts.printable(line, locale)) in text, line


def test_figures_equal_the_evaluation(made):
    locale, pdf = made
    text, form = squeezed(text_of(pdf)), Formats(locale)
    for option in EVALUATION.options:
        assert squeezed(form.band(option.at.ttft_s, 1)) in text
        if option.cost.capex is not None and option.sizing.units:
            assert form.money(option.cost.capex) in text
    assert "¥742,400.00" in text
    assert "¥2,013.89" in text


def test_on_request_is_never_zero(made):
    locale, pdf = made
    assert squeezed(Wording(locale).text("all_on_request", count=2)) in squeezed(text_of(pdf))


def test_cover_names_are_literal(made):
    _, pdf = made
    first = pypdf.PdfReader(BytesIO(pdf)).pages[0].extract_text()
    assert "<b>&amp;</b>" in first
    assert "𠮷" in first
    assert "FX-2026-0042" in first


def test_contents_outline_language_and_page_numbers(made):
    locale, pdf = made
    reader = pypdf.PdfReader(BytesIO(pdf))
    say = Wording(locale)
    assert reader.trailer["/Root"]["/Lang"] == locale
    outline = [entry.title for entry in reader.outline if not isinstance(entry, list)]
    assert say.text("section.summary") in outline
    pages = len(reader.pages)
    last = say.text("word.page_of", page=pages, pages=pages)
    assert squeezed(last) in squeezed(reader.pages[-1].extract_text())
    assert any("/Annots" in page for page in reader.pages)


def test_no_text_leaves_its_page_frame(made):
    _, pdf = made
    with pdfplumber.open(BytesIO(pdf)) as document:
        for page in document.pages:
            for character in page.chars:
                assert character["x0"] >= theme.MARGIN_LEFT - 1
                assert character["x1"] <= theme.PAGE_WIDTH - theme.MARGIN_RIGHT + 1
                assert character["top"] >= 20
                assert character["bottom"] <= theme.PAGE_HEIGHT - 20


def test_fonts_are_embedded(made):
    _, pdf = made
    for page in pypdf.PdfReader(BytesIO(pdf)).pages:
        for font in page["/Resources"]["/Font"].values():
            descriptor = font.get_object().get("/FontDescriptor")
            if descriptor is not None:
                assert "/FontFile2" in descriptor.get_object()


def test_the_same_input_gives_the_same_bytes():
    assert proposal_pdf(EVALUATION, "ko", COVER) == proposal_pdf(EVALUATION, "ko", COVER)
    assert proposal_xlsx(EVALUATION, "ko") == proposal_xlsx(EVALUATION, "ko")


@pytest.mark.parametrize(
    "hostile",
    [
        "<para>x</para>",
        "<img src='file:///etc/passwd'>",
        "&#0;",
        "a\0b",
        "\u202eabc",
        "{{7*7}}",
        "😀 ok",
        "e\u0301",
        "x" * 10_000,
        "𠮷" * 50,
    ],
)
def test_hostile_texts_are_set_as_typed_or_visibly_replaced(hostile):
    document = Document(
        meta=Meta(title=hostile[:200], subtitle="", locale="zh-hans"),
        blocks=(Text(hostile), Table(("Name",), ((hostile,),), (1,))),
    )
    text = squeezed(text_of(render(document)))
    if len(hostile) > 1000:  # it runs over pages, with headers and footers between
        assert text.count(hostile[0]) >= 2 * len(hostile)
    else:
        assert squeezed(fonts.printable(hostile, "zh-hans")) in text


def test_missing_glyphs_are_visible_and_format_characters_vanish():
    assert fonts.printable("a😀\u202eb\0", "ko") == "a□b"


def test_a_long_table_repeats_its_header_on_every_page():
    rows = tuple((f"row {number}", "x") for number in range(200))
    pdf = render(
        Document(meta=Meta(title="t", subtitle="", locale="en"), blocks=(Table(("Name", "Value"), rows, (1, 1)),))
    )
    pages = pypdf.PdfReader(BytesIO(pdf)).pages[1:]
    assert len(pages) > 3
    assert all("Name" in page.extract_text() for page in pages)


def test_a_case_without_evidence_still_makes_a_proposal():
    empty = planner.evaluate(SCENARIO, [], BOOK)
    for locale in LOCALES:
        assert squeezed(Wording(locale).text("not_known")) in squeezed(text_of(proposal_pdf(empty, locale)))


def test_ticks_by_hand():
    assert nice_ticks(0, 23) == [0, 5, 10, 15, 20, 25]
    assert log_ticks(3, 40) == [2, 5, 10, 20, 50]


def test_the_workbook_holds_numbers_and_live_formulas():
    book = openpyxl.load_workbook(BytesIO(proposal_xlsx(EVALUATION, "en")))
    cost = book[Wording("en").text("section.cost")[:31]]
    formulas = [cell.value for row in cost.iter_rows() for cell in row if cell.data_type == "f"]
    assert any(formula.startswith("=SUM(") for formula in formulas)
    assert any("NPV(" in formula for formula in formulas)
    options = book[Wording("en").text("section.options")]
    fx100 = next(row for row in options.iter_rows(values_only=True) if row[0] == "FX100")
    assert fx100[3] == pytest.approx(EVALUATION.option("fx100").at.ttft_s.p50)
    assert fx100[12] == 742_400


def test_the_workbooks_npv_is_the_evaluations():
    # independent: the yearly sums that the sheet shows, discounted as a spreadsheet does
    option = EVALUATION.option("fx200")
    years = range(SCENARIO.money.horizon_years + 1)
    totals = [sum(float(line.amounts[year].amount) for line in option.cost.lines) for year in years]
    npv = totals[0] + sum(total / 1.08**year for year, total in enumerate(totals) if year)
    assert npv == pytest.approx(float(option.cost.npv.amount), abs=0.01)


def test_the_workbook_names_serial_recipient_and_the_last_day_of_the_prices():
    sheet = openpyxl.load_workbook(BytesIO(proposal_xlsx(EVALUATION, "en", COVER))).worksheets[0]
    lines = [row[0] for row in sheet.iter_rows(values_only=True)]
    assert "Serial: FX-2026-0042" in lines
    assert any(line.endswith(COVER.recipient) for line in lines)
    assert "Prices valid to: 2027-06-30" in lines  # the book ends before 2027-07-01


def test_hostile_titles_stay_texts_in_the_workbook():
    raw = SCENARIO.document() | {"title": "=cmd|'/c calc'!A1"}
    evaluation = planner.evaluate(planner.load_scenario(raw), EVIDENCE, BOOK)
    book = openpyxl.load_workbook(BytesIO(proposal_xlsx(evaluation, "en")))
    assert book.worksheets[0]["A1"].data_type == "s"


def test_files_are_written_whole_with_their_hash(tmp_path):
    from hashlib import sha256
    from pathlib import Path

    written = write_proposal(EVALUATION, locale="en", folder=tmp_path / "out", recipient="A")
    assert {entry["name"] for entry in written} == {"proposal.pdf", "proposal.xlsx", "evaluation.json"}
    for entry in written:
        assert sha256(Path(entry["path"]).read_bytes()).hexdigest() == entry["sha256"]
    assert not list((tmp_path / "out").glob("*.part"))


def test_it_refuses_a_folder_that_cannot_be_written(tmp_path):
    from planner.errors import InputProblems

    (tmp_path / "file").write_text("x")
    with pytest.raises(InputProblems, match="--out"):
        write_proposal(EVALUATION, locale="en", folder=tmp_path / "file" / "out")


def test_a_written_evaluation_is_evaluated_again_to_the_same_digits(tmp_path):
    write_proposal(EVALUATION, locale="en", folder=tmp_path)
    again = planner.evaluate(planner.load_scenario(tmp_path / "evaluation.json"), EVIDENCE, BOOK)
    assert again.document()["options"] == EVALUATION.document()["options"]
