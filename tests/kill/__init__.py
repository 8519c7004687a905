"""Runs that are killed, for real: before every change of a file, and at random moments.

``python -m tests.kill`` is the long profile; the tests of this folder are the short one (docs/design/publication.md).
"""
