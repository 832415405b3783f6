"""RMB amounts in Chinese capitals, as contracts and bills write them (rules of the People's Bank for bills)."""

from decimal import Decimal

from planner.errors import InputProblems, Problem, shown
from planner.money import round_half_up

DIGITS = "零壹贰叁肆伍陆柒捌玖"
PLACES = ("", "拾", "佰", "仟")
GROUPS = ("", "万", "亿", "万亿")
LIMIT = Decimal(10) ** 16


def _group(value: int) -> str:
    """Return a number from 0 to 9999; zeros inside are written once, zeros at the end not at all."""
    text, zero = "", False
    for place in range(3, -1, -1):
        digit = value // 10**place % 10
        if digit == 0:
            zero = bool(text)
            continue
        text += ("零" if zero else "") + DIGITS[digit] + PLACES[place]
        zero = False
    return text


def _whole(value: int) -> str:
    """Return a whole number; a group below 1000 after a higher one is led by 零."""
    text, skipped = "", False
    for index in range(3, -1, -1):
        group = value // 10 ** (4 * index) % 10**4
        if group == 0:
            skipped = bool(text)
            continue
        lead = "零" if text and (skipped or group < 1000) else ""
        text += lead + _group(group) + GROUPS[index]
        skipped = False
    return text.replace("万亿", "万亿" if value // 10**8 % 10**4 == 0 else "万")


def rmb_capitals(amount: Decimal | int | str) -> str:
    """Return an amount in capitals, rounded half up to the fen; 整 closes whole yuan.

    >>> rmb_capitals("371200")
    '人民币叁拾柒万壹仟贰佰元整'

    Raises
    ------
    InputProblems
        When the amount is not from 0 to below 10^16.
    """
    exact = Decimal(amount)
    if not exact.is_finite() or not 0 <= exact < LIMIT:
        raise InputProblems([Problem("out_of_range", "amount", shown(amount), "an amount from 0 to below 10^16")])
    rounded = round_half_up(exact)
    yuan, fen_total = divmod(int(rounded * 100), 100)
    jiao, fen = divmod(fen_total, 10)
    text = "人民币"
    if yuan or not fen_total:
        text += (_whole(yuan) or "零") + "元"
    if not fen_total:
        return text + "整"
    if jiao:
        text += DIGITS[jiao] + "角"
    elif yuan:
        text += "零"
    return text + (DIGITS[fen] + "分" if fen else "")
