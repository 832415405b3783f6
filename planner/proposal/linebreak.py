"""Line breaking for Chinese, Korean and Latin text: Han anywhere but beside its punctuation, Korean at spaces."""

from collections.abc import Callable, Iterator

CLOSING = frozenset("，。、；：！？）》】」』〉〕”’…—·%‰℃,.;:!?)]}>°′″")
OPENING = frozenset("（《【「『〈〔“‘([{<¥$€₩")


def breaks_anywhere(character: str) -> bool:
    """Return whether a line may end beside ``character`` without a space: Han, kana and full-width forms."""
    code = ord(character)
    return (
        0x2E80 <= code <= 0x9FFF
        or 0xF900 <= code <= 0xFAFF
        or 0xFE30 <= code <= 0xFE4F
        or 0xFF00 <= code <= 0xFFEF
        or 0x20000 <= code <= 0x3FFFF
    )


def units(text: str) -> Iterator[tuple[str, bool]]:
    """Yield (piece that is not broken, whether a space follows): words, single Han, punctuation joined to its word."""
    pieces: list[list[object]] = []
    for word in text.split(" "):
        start = 0
        for index, character in enumerate(word):
            boundary = index > start and (breaks_anywhere(character) or breaks_anywhere(word[index - 1]))
            if boundary and character not in CLOSING and word[index - 1] not in OPENING:
                pieces.append([word[start:index], False])
                start = index
        pieces.append([word[start:], True])
    if pieces:
        pieces[-1][1] = False
    for piece, spaced in pieces:
        yield str(piece), bool(spaced)


def lines(text: str, width: float, measure: Callable[[str], float]) -> list[str]:
    """Return ``text`` broken to ``width``; a piece wider than a line (a hash, an address) is broken by characters.

    Newlines are kept. ``measure`` gives the width of a text.
    """
    found: list[str] = []
    for paragraph in text.split("\n"):
        current, gap = "", ""
        for piece, spaced in units(paragraph):
            if measure(current + gap + piece) <= width:
                current += gap + piece
            else:
                if current:
                    found.append(current)
                *whole, current = _chopped(piece, width, measure)
                found.extend(whole)
            gap = " " if spaced else ""
        found.append(current)
    return found


def _chopped(piece: str, width: float, measure: Callable[[str], float]) -> list[str]:
    if measure(piece) <= width:
        return [piece]
    parts, current = [], ""
    for character in piece:
        if current and measure(current + character) > width:
            parts.append(current)
            current = ""
        current += character
    return [*parts, current]
