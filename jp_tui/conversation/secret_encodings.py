"""Forms in which programs print a text, searched when a secret is redacted.

Pure. Covers usual output (JSON, Python, addresses, base64), not deliberate obfuscation.
"""

from __future__ import annotations


def spellings(value: str) -> set[str]:
    """Return `value` unchanged, stripped, inside JSON with and without escapes, as Python's repr, in an address, in
    base64.

    Empty for a blank one.
    """
    import base64
    import json
    from urllib.parse import quote, quote_plus

    found: set[str] = set()
    if not value.strip():
        return found
    for form in {value, value.strip()}:
        raw = form.encode("utf-8", "surrogatepass")
        found |= {form, json.dumps(form)[1:-1], json.dumps(form, ensure_ascii=False)[1:-1], repr(form)[1:-1]}
        found |= {quote(raw, safe=""), quote(raw), quote_plus(raw)}
        found |= {base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode()}
    return found
