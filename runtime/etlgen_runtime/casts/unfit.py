"""The one way a cast fails."""

from __future__ import annotations


class Unfit(ValueError):
    """A value that the cast table does not accept for a target. The message says why and never holds the value."""
