"""Service for MCP servers."""
