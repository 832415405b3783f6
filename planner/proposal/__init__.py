"""The proposal: sections of blocks (also the result page), and files (PDF, XLSX, JSON) in ``write``."""
