"""The command: `teatimer NAME`."""

import sys
import time

from teatimer.brew import TEAS, describe


def main() -> int:
    name = sys.argv[1] if len(sys.argv) > 1 else "green"
    if name not in TEAS:
        print(f"No tea called {name}. Known: {', '.join(TEAS)}", file=sys.stderr)
        return 2
    tea = TEAS[name]
    print(describe(tea))
    time.sleep(tea.seconds)
    print("Ready.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
