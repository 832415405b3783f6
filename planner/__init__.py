"""The evaluation model: pure functions and frozen values, without Django, clock, environment or network."""
