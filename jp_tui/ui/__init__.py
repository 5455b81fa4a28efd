"""The front end with a screen. It uses the link, the protocol and the view, never the engine's packages."""
