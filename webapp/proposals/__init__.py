"""Proposals: a scenario frozen under a serial number, and the files made of it."""
