"""Questions of other programs that need no engine, or are asked before there is one."""
