"""`jp-tui mcp serve`: the inbox as an MCP server for agents of other makers (intake.md N30).

It imports the SDK and runs for this command alone: no other module may import it.
"""
