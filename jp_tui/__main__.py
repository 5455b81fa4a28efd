"""`python -m jp_tui`: the same front door as the console script, and nothing else."""

import sys

from jp_tui.main import main

sys.exit(main())
