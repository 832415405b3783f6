"""Fonts of one document: subsets of the Noto Sans CJK collection, made as TrueType in memory for the characters used.

reportlab takes no CFF outlines and no variable fonts, so each glyph is drawn at the wanted weight into a glyf table.
The collection comes from the package ``manimgx-fonts-cjk``; nothing is fetched and no font lies in the repository.
"""

import unicodedata
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from io import BytesIO
from typing import Any

from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTCollection, TTFont, newTable
from reportlab.pdfbase import pdfmetrics, ttfonts

FACES = {"zh-hans": 2, "ko": 1, "en": 2}
WEIGHTS = {"regular": 400, "bold": 700}
ALWAYS = "".join(chr(code) for code in range(0x20, 0x7F)) + "…—–−×·≥≤≈→□%‰¥€₩²³τΣ"
MISSING_MARK = "□"
CURVE_ERROR_UNITS = 1.0
DROPPED = (
    *("CFF2", "fvar", "avar", "HVAR", "MVAR", "VVAR", "STAT", "DSIG"),
    *("GSUB", "GPOS", "GDEF", "BASE", "VORG", "vhea", "vmtx"),
)
MAXP_ZERO = (
    *("maxTwilightPoints", "maxStorage", "maxFunctionDefs", "maxInstructionDefs", "maxStackElements"),
    *("maxSizeOfInstructions", "maxComponentElements", "maxPoints", "maxContours", "maxCompositePoints"),
    *("maxCompositeContours", "maxComponentDepth"),
)
CACHED_SUBSETS = 16


def _to_unicode(fontname: str, subset: list[int]) -> str:
    """Return the ToUnicode map of a subset; reportlab's own writes wrong codes beyond U+FFFF."""
    codes = [f"<{index:02X}> <{chr(code).encode('utf-16-be').hex().upper()}>" for index, code in enumerate(subset)]
    return "\n".join(
        [
            "/CIDInit /ProcSet findresource begin",
            "12 dict begin",
            "begincmap",
            "/CIDSystemInfo",
            f"<< /Registry ({fontname})",
            f"/Ordering ({fontname})",
            "/Supplement 0",
            ">> def",
            f"/CMapName /{fontname} def",
            "/CMapType 2 def",
            "1 begincodespacerange",
            f"<00> <{len(subset) - 1:02X}>",
            "endcodespacerange",
            f"{len(subset)} beginbfchar",
            *codes,
            "endbfchar",
            "endcmap",
            "CMapName currentdict /CMap defineresource pop",
            "end",
            "end",
        ]
    )


ttfonts.makeToUnicodeCMap = _to_unicode


@lru_cache(maxsize=1)
def _collection() -> bytes:
    folder = files("manimgx_fonts_cjk")
    name = next(entry.name for entry in folder.iterdir() if entry.name.endswith(".ttc"))
    return folder.joinpath(name).read_bytes()


@lru_cache(maxsize=4)
def covered(face: int) -> frozenset[int]:
    """Return the code points that a face of the collection has glyphs for."""
    font = TTCollection(BytesIO(_collection()), lazy=True).fonts[face]
    return frozenset(font.getBestCmap())


def printable(text: str, locale: str) -> str:
    """Return ``text`` as the fonts can show it.

    Control and format characters (RTL overrides, zero-width, NUL) are left out, composed forms are used (NFC), and a
    character without a glyph (emoji) becomes a visible □: never an invisible or blank one.
    """
    known = covered(FACES[locale])
    shown = []
    for character in unicodedata.normalize("NFC", text):
        if character == "\n":
            shown.append(character)
        elif character == "\t" or character.isspace():
            shown.append(" ")
        elif unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Co", "Cn"}:
            shown.append(character if ord(character) in known else MISSING_MARK)
    return "".join(shown)


def register(locale: str, characters: frozenset[str]) -> dict[str, str]:
    """Register the regular and bold subset for ``characters``; return weight name -> font name in reportlab."""
    wanted = "".join(sorted(characters | set(ALWAYS)))
    names = {}
    for weight, value in WEIGHTS.items():
        name = f"FX{locale.replace('-', '')}{value}{sha256(wanted.encode()).hexdigest()[:8]}"
        if name not in pdfmetrics.getRegisteredFontNames():
            pdfmetrics.registerFont(ttfonts.TTFont(name, BytesIO(truetype_subset(FACES[locale], value, wanted, name))))
        names[weight] = name
    return names


@lru_cache(maxsize=CACHED_SUBSETS)
def truetype_subset(face: int, weight: int, characters: str, name: str) -> bytes:
    """Return a TrueType font with the glyphs of ``characters`` at ``weight``; equal arguments give equal bytes."""
    font = TTFont(BytesIO(_collection()), fontNumber=face, lazy=True)
    options = Options()
    options.layout_features = []
    options.name_IDs = [1, 2, 4, 6]
    options.notdef_outline = True
    options.drop_tables = [*options.drop_tables, "GSUB", "GPOS", "GDEF", "BASE", "vhea", "vmtx", "VORG", "VVAR"]
    subsetter = Subsetter(options)
    subsetter.populate(text=characters)
    subsetter.subset(font)
    _draw_outlines(font, weight)
    for table in DROPPED:
        if table in font:
            del font[table]
    for record in font["name"].names:
        record.string = name
    font["head"].created = font["head"].modified = 0
    font["OS/2"].usWeightClass = weight
    font.recalcTimestamp = False
    font.sfntVersion = "\x00\x01\x00\x00"
    buffer = BytesIO()
    font.save(buffer)
    return buffer.getvalue()


def _draw_outlines(font: TTFont, weight: int) -> None:
    glyph_set: Any = font.getGlyphSet(location={"wght": weight})
    order = font.getGlyphOrder()
    outlines, metrics = {}, {}
    for glyph_name in order:
        pen = TTGlyphPen(None)
        glyph_set[glyph_name].draw(Cu2QuPen(pen, CURVE_ERROR_UNITS, reverse_direction=True))
        outline = pen.glyph()
        outlines[glyph_name] = outline
        outline.recalcBounds(None)
        # the left side bearing must be the outline's xMin, or opening marks shift
        metrics[glyph_name] = (round(glyph_set[glyph_name].width), getattr(outline, "xMin", 0) or 0)
    font["loca"] = newTable("loca")
    font["glyf"] = glyf = newTable("glyf")
    glyf.glyphOrder, glyf.glyphs = order, outlines
    font["hmtx"].metrics = metrics
    font["maxp"] = maxp = newTable("maxp")
    maxp.tableVersion, maxp.numGlyphs = 0x00010000, len(order)
    maxp.maxZones = 1
    for field in MAXP_ZERO:
        setattr(maxp, field, 0)
    font["post"].formatType = 3.0
    font["post"].extraNames, font["post"].mapping = [], {}
