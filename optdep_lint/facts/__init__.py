"""The facts room: the summary of one file as plain data, and its codec. Nothing here imports libcst."""
