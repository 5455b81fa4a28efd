"""The host process of MCP servers (mcp.md P4), the only place that imports the `mcp` SDK. The program imports nothing
of it but the framing of its messages."""
