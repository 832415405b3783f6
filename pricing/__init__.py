"""Price books, quotes and tax. ``load_book`` reads a book into the value that ``planner.evaluate`` takes."""

from pricing.books import BookListing, list_books, load_book, read_book

__all__ = ["BookListing", "list_books", "load_book", "read_book"]
