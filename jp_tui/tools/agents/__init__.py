"""Agents of other makers that hold a conversation, by the Agent Client Protocol (intake.md N40-N44).

An agent is a process that we start. To the engine it is a model whose tool calls are its own: what it does is streamed
and recorded like any reply, and a call for which it asks permission goes the way of every call. `provider.py` is that
model, `call.py` the tool, `connection.py` the process between them. Nothing here is imported before an agent is used.
"""
