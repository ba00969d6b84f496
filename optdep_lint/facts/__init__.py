"""The facts room: the summary of one file as plain data, and its codec. Nothing here imports libcst."""

SCHEMA = 2
"""Of summaries as bytes: raised whenever a node or a field changes its meaning."""
