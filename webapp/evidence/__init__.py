"""The evidence library: shipped reports, their points and what the checks found in them."""
