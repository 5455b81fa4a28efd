"""What every floor above uses: dependencies, backups of files, the state of a tool call."""
