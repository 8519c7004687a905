"""The version of the generator: of the installed distribution and of this text, which a test compares."""

from __future__ import annotations

VERSION = "0.1.0"
