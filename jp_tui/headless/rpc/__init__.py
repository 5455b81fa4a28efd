"""`jp-tui rpc`: the engine over a pipe, as JSON-RPC 2.0, one message a line (surface S30, inquiries.md R240-R243).

A face like the others: it drives the engine through links and knows nothing behind them. Standard output carries
messages only; words for people go to standard error. What a client sends is foreign and passes the strict gate.
"""
