"""Work in the background: the job row is the truth."""
