"""`jp-tui rpc`: the engine over a pipe, as JSON-RPC 2.0, one message per line (surface S30, inquiries.md R240-R243).

A front end like the others: it drives the engine through links. Standard output carries messages only; text for people
goes to standard error. A client's input is untrusted and strictly parsed.
"""
