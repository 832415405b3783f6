"""Customers, visible to their team."""
