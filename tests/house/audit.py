"""`python -m tests.house.audit`: are there known vulnerabilities in what we pin? Asked of OSV, in one request.

Ends with 1 for a finding that is not waived below, with 0 for none, and with 0 and clear words where the service cannot
be reached: that is no finding, and no all-clear either. (pip-audit does more and brings 17 packages along; this needs
none.) It changes nothing and sends nothing but names and versions.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any

import httpx

SERVICE = "https://api.osv.dev"
SECONDS = 8.0
ROOT = Path(__file__).resolve().parents[2]
WAIVED: dict[str, str] = {}
"""Advisories that do not concern us: the id, and why. Look at it again with every change of the pin."""


class NotHere(Exception):
    """Why it could not be asked."""


def pins(text: str) -> list[tuple[str, str]]:
    """Names and versions of a constraints file."""
    return [(match[1], match[2]) for match in re.finditer(r"^([A-Za-z0-9._-]+)==(\S+)$", text, re.MULTILINE)]


def findings(client: httpx.Client, pinned: list[tuple[str, str]]) -> list[tuple[str, str, str]]:
    """Package with version, advisory, its words; withdrawn ones are none. Raises NotHere."""
    queries = [{"package": {"name": name, "ecosystem": "PyPI"}, "version": version} for name, version in pinned]
    answer = _json(client, "POST", "/v1/querybatch", {"queries": queries}).get("results")
    if not isinstance(answer, list) or len(answer) != len(pinned):
        raise NotHere("the service answered with something else than asked for")
    found = []
    for (name, version), result in zip(pinned, answer, strict=True):
        for one in result.get("vulns") or ():
            told = _json(client, "GET", f"/v1/vulns/{one['id']}")
            if "withdrawn" not in told:
                words = str(told.get("summary") or told.get("details") or "no words").splitlines()[0]
                found.append((f"{name} {version}", str(one["id"]), words))
    return found


def _json(client: httpx.Client, method: str, path: str, body: Any = None) -> dict[str, Any]:
    try:
        answer = client.request(method, path, json=body)
        answer.raise_for_status()
        told = answer.json()
    except (httpx.HTTPError, ValueError) as problem:
        raise NotHere(f"{client.base_url.host}: {problem or type(problem).__name__}") from None
    if not isinstance(told, dict):
        raise NotHere("the service answered with something else than asked for")
    return told


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.house.audit", description=__doc__)
    parser.add_argument("--service", default=SERVICE, help=f"where to ask (default {SERVICE})")
    parser.add_argument("--pins", type=Path, default=ROOT / "constraints.txt", metavar="FILE")
    options = parser.parse_args(argv)
    pinned = pins(options.pins.read_text())
    try:
        with httpx.Client(base_url=options.service, timeout=SECONDS) as client:
            found = findings(client, pinned)
    except NotHere as problem:
        print(f"audit: not possible here: {problem}. Nothing is known about {len(pinned)} packages.")
        return 0
    open_ones = [one for one in found if one[1] not in WAIVED]
    for package, advisory, words in found:
        print(
            f"audit: {package}: {advisory}: {words}" + (f" (waived: {WAIVED[advisory]})" if advisory in WAIVED else "")
        )
    print(f"audit: {len(pinned)} packages, {len(open_ones)} with a known vulnerability that counts")
    return 1 if open_ones else 0


if __name__ == "__main__":
    sys.exit(main())
