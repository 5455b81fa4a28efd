"""Where values come from: files, layers, trust."""
