"""MCP client, jp-tui's side: values, the processes that run servers, and their tools. It never imports the SDK."""
