"""English is read on both sides of the Atlantic: the month is written as a word."""

DATE_FORMAT = "j F Y"
SHORT_DATE_FORMAT = "j M Y"
SHORT_DATETIME_FORMAT = "j M Y, H:i"
