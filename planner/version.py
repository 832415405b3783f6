"""The version of the product: it stands here and nowhere else."""

__version__ = "0.1.0"
