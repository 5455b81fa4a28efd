"""Sandbox for child processes: bubblewrap, where it works (surface.md S10, S40; Z18).

`places` and `visible` inspect the machine, `protect` the workspace; `mounts` plans, `command` builds the bubblewrap
options, `runner` starts it and `verify` compares the result with the plan before the command runs. `probe` tests
whether all of that works here. `placeholders` reserves missing paths.
"""
