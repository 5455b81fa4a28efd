"""Front ends without a screen: query and lists."""
