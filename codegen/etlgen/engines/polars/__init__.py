"""The Polars side of generation: expressions and relations of a plan as lazy Polars code, and what Polars cannot say.

``generator`` is the door. Nothing here imports Polars; the code that comes out does.
"""
