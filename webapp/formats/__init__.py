"""Formats where Django's own would be read in two ways."""
