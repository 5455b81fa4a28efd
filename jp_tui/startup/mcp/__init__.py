"""MCP servers for the rest of the program: commands, and what the engine gets of them."""
