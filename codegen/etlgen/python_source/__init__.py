"""Writing Python source that holds contract text: literals, comments, docstrings, and the names things get."""
