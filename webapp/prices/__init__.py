"""Price books, read only."""
