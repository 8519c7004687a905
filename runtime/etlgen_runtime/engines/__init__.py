"""Engines at run time: one folder each, with the file names its neighbours have. The core finds an engine by its name and never
imports one; only an engine's own folder imports its library.
"""
