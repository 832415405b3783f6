"""Price books, money and tax."""

from pricing.books import check_book, list_books, load_book

__all__ = ["check_book", "list_books", "load_book"]
