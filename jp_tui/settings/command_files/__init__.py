"""The user's and the folder's own commands and skills: files in the formats that other agents use (context.md K50-K52).

Reads and sorts; sends nothing, and runs nothing that such a file says.
"""
