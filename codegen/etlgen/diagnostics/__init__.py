"""Diagnostics: what is wrong, where, what was expected, and the fix; one renderer for all of them."""
