"""Pages of price books. Prices are shown to our own people only."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

import pricing
from planner.errors import InputProblems
from planner.money import Fixed, Range
from planner.prices import PriceBook, PriceItem
from webapp.accounts.models import Organisation, User
from webapp.accounts.rights import signed_in


def _refuse_strangers(user: User) -> None:
    if user.organisation.kind != Organisation.Kind.OURS:
        raise Http404


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """List the price books."""
    _refuse_strangers(signed_in(request))
    return render(request, "prices/list.html", {"books": pricing.list_books(), "today": timezone.localdate()})


@require_safe
def detail(request: HttpRequest, book_id: str, version: str) -> HttpResponse:
    """Show the items of one version of a book."""
    _refuse_strangers(signed_in(request))
    listed = [book for book in pricing.list_books() if (book.id, book.version) == (book_id, version)]
    if not listed:
        raise Http404
    try:
        book = pricing.load_book(book_id, on=listed[0].valid_from)
    except InputProblems as problems:  # a draft or a retired version prices nothing
        raise Http404 from problems
    return render(request, "prices/detail.html", {"book": book, "rows": _rows(book), "today": timezone.localdate()})


def _rows(book: PriceBook) -> list[dict[str, object]]:
    return [{"item": item, "name": _name(item), "low": _low(item), "high": _high(item)} for item in book.items.values()]


def _name(item: PriceItem) -> str:
    return item.names.get(get_language() or "", "") or item.names.get("en", "") or item.sku


def _low(item: PriceItem) -> object:
    if isinstance(item.price, Fixed):
        return item.price.money.amount
    return item.price.low.amount if isinstance(item.price, Range) else None


def _high(item: PriceItem) -> object:
    return item.price.high.amount if isinstance(item.price, Range) else None
