"""A sandbox around a child: bubblewrap, where it works here (surface.md S10, S40; Z18).

`places` and `visible` look at the machine, `protect` at the workspace; `mounts` plans, `command` words it for
bubblewrap, `runner` starts it and `verify` compares what stands with the plan before the command runs. `probe` finds
out, by trying, whether all of that works here. `placeholders` keeps missing paths missing.
"""
