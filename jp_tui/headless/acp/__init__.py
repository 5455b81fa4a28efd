"""`jp-tui acp`: the engine as an agent of the Agent Client Protocol, for editors (intake.md N50-N52).

A front end like `rpc`: it uses that package's pipes, peer and sessions, and speaks another protocol over them. An
editor's input is untrusted. The protocol is read and written here; a library for it is needed by no user.
"""
