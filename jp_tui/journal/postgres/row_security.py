"""Rights in a store of several people, as policies of its tables and grants (store.md D18). Text only; runs nothing.

Rows are protected by policies that bind the tables' owner, too. Events are written by functions only: they run as the
owner of the schema, know the acting role by `me()`, and decide themselves. What such a function may see beyond the
caller is decided by `inside()`: current user and search path are then those that only these functions have.
"""

from __future__ import annotations

CHANNEL = "jp_tui"
"""Channel of notifications: each carries a conversation's id (D11)."""
REFUSED = "JP001"
"""State of an error with which the server refuses what a role may not do; its message is for people."""
PATH = "pg_catalog, pg_jp_tui, pg_temp"
"""Search path of the functions that decide. No schema of the second name can exist: `pg_` is reserved."""
DEFINER = f"SECURITY DEFINER SET search_path = {PATH}"
HELPER = f"SET search_path = {PATH}"
"""A helper of such functions: called by one of them it sees what they see, called by a client what that sees."""
PLAIN = "SET search_path = pg_catalog, pg_temp"
"""Reads no table of the store."""
_ME = '(jp_tui.me() COLLATE "C")'
_INSIDE = "(SELECT jp_tui.inside())"
_NAMED = "(SELECT jp_tui.names())::text[]"
_BY_KIND = "CASE (SELECT jp_tui.my_kind()) WHEN 'worker' THEN may_act AND NOT barred WHEN 'auditor' THEN {audits} END"
_MINE = f"owner = {_ME} OR {_INSIDE} OR coalesce({_BY_KIND}, false)"
"""A conversation that the acting role carries on. The first condition is the cheapest and holds for most rows."""
_ITS = "EXISTS (SELECT 1 FROM jp_tui.conversations AS c WHERE c.key = conversation)"
"""A row of such a conversation: the policy of `conversations` holds in here as well."""


def _forced(table: str, *policies: str) -> tuple[str, ...]:
    """Return the statements that put a table under row security; each policy is `VERB: CONDITION`."""
    made = [
        f"ALTER TABLE jp_tui.{table} ENABLE ROW LEVEL SECURITY",
        f"ALTER TABLE jp_tui.{table} FORCE ROW LEVEL SECURITY",
    ]
    for one in policies:
        verb, _, expression = one.partition(": ")
        clauses = {
            "SELECT": f"USING ({expression})",
            "DELETE": f"USING ({expression})",
            "INSERT": f"WITH CHECK ({expression})",
        }.get(verb, f"USING ({expression}) WITH CHECK ({expression})")
        made.append(f"CREATE POLICY {table}_{verb.lower()} ON jp_tui.{table} FOR {verb} {clauses}")
    return tuple(made)


POLICIES = (
    *_forced("schema_version", "ALL: true"),
    *_forced(
        "roles",
        f"SELECT: role = {_ME} OR kind IN ('owner', 'person') OR {_INSIDE} OR (SELECT jp_tui.my_kind()) = 'auditor'",
        f"INSERT: {_INSIDE}",
        f"UPDATE: {_INSIDE}",
    ),
    *_forced(
        "conversations",
        f"SELECT: {_MINE.format(audits='true')}",
        f"INSERT: {_INSIDE}",
        f"UPDATE: {_MINE.format(audits='false')}",
        f"DELETE: {_INSIDE}",
    ),
    *_forced(
        "events",
        f"SELECT: {_ITS} OR (inquiry IS NOT NULL AND jp_tui.is_party(conversation, inquiry))",
        f"INSERT: {_INSIDE}",
        f"DELETE: {_INSIDE}",
    ),
    *_forced("spans", f"SELECT: {_ITS}", f"INSERT: {_INSIDE}", f"UPDATE: {_INSIDE}", f"DELETE: {_INSIDE}"),
    *_forced("partials", f"SELECT: {_ITS}", f"INSERT: {_ITS}", f"DELETE: {_INSIDE}"),
    *_forced("drafts", f"ALL: owner = {_ME} OR {_INSIDE}"),
    *_forced(
        "waiting",
        f"SELECT: owner = {_ME} OR {_INSIDE} OR asks = ANY ({_NAMED}) OR jp_tui.is_mine(conversation)",
        f"INSERT: {_INSIDE}",
        f"UPDATE: {_INSIDE}",
        f"DELETE: {_INSIDE}",
    ),
    *_forced(
        "parties",
        f"SELECT: {_INSIDE} OR name = ANY ({_NAMED}) OR jp_tui.is_mine(conversation)",
        f"INSERT: {_INSIDE}",
        f"DELETE: {_INSIDE}",
    ),
    *_forced(
        "offers",
        f"SELECT: owner = {_ME} OR who = {_ME} OR {_INSIDE} OR jp_tui.is_mine(jp_tui.key_of(conversation))",
        f"INSERT: {_INSIDE}",
        f"UPDATE: owner = {_ME} OR {_INSIDE} OR jp_tui.is_mine(jp_tui.key_of(conversation))",
        f"DELETE: {_INSIDE}",
    ),
    *_forced("leases", f"ALL: {_INSIDE}"),
    *_forced("claims", f"ALL: {_INSIDE}"),
    # read and written by functions only; a condition here would keep them from using the index of words
    *_forced("search", "SELECT: true", f"INSERT: {_INSIDE}", f"DELETE: {_INSIDE}"),
    *_forced("writes", f"ALL: role = {_ME} OR {_INSIDE}"),
)

_POLICY_FUNCTIONS = (
    "me()", "inside()", "my_kind()", "names()", "is_mine(bigint)", "is_party(bigint, text)", "key_of(text)",
)  # fmt: skip
APPENDS = "text, bigint, text, text[], bigint[], text[], text[], bigint[], bigint[], text[], text[], text[]"
"""Arguments of the first `append_events`."""
_WORKER_FUNCTIONS = (
    "create_conversation(text, text, text, text, text, text, text, boolean)",
    f"append_events({APPENDS}, text, bigint, boolean)",
    "index_events(bigint, bigint[], text[], bigint)",
    "renew_index()",
    "search_words(tsquery, bigint, bigint, int)",
    "make_offer(text, text, text, text, text, text)",
    "withdraw_offer(bigint)",
    "clear_draft(text, text)",
    "forget_writes()",
    "take_lease(text, text, text, text, bigint, double precision, boolean)",
    "look(double precision, text[], bigint[], text[])",
    "free_lease(text, bigint, text)",
    "holders(text[])",
    "addressed(text)",
    "conversations_of_others(text[])",
    "groups_of(text)",
)
_PERSON_FUNCTIONS = (
    "remove_events(text, int)", "set_away(timestamptz, text)", "claim(text, text, boolean)", "acts()",
)  # fmt: skip
_USES = "GRANT USAGE ON SCHEMA jp_tui TO {role}"


def _executes(*functions: str) -> str:
    return f"GRANT EXECUTE ON FUNCTION {', '.join(f'jp_tui.{one}' for one in functions)} TO {{role}}"


_WRITER = (
    _USES,
    """GRANT SELECT ON jp_tui.schema_version, jp_tui.roles, jp_tui.conversations, jp_tui.events, jp_tui.spans,
    jp_tui.partials, jp_tui.drafts, jp_tui.waiting, jp_tui.parties, jp_tui.offers, jp_tui.writes TO {role}""",
    "GRANT INSERT (conversation, part, kind, text) ON jp_tui.partials TO {role}",
    "GRANT INSERT (conversation, key, text), UPDATE (text) ON jp_tui.drafts TO {role}",
    "GRANT INSERT (id) ON jp_tui.writes TO {role}",
    "GRANT UPDATE (state, words) ON jp_tui.offers TO {role}",
    "GRANT UPDATE (title, titled, model) ON jp_tui.conversations TO {role}",
    _executes(*_POLICY_FUNCTIONS, *_WORKER_FUNCTIONS),
)
GRANTS = {
    "person": (
        *_WRITER,
        "GRANT UPDATE (archived, hidden, origin, imported, copied) ON jp_tui.conversations TO {role}",
        _executes(*_PERSON_FUNCTIONS),
    ),
    "worker": _WRITER,
    "auditor": (
        _USES,
        "GRANT SELECT ON jp_tui.schema_version, jp_tui.audit_inquiries, jp_tui.audit_people TO {role}",
        _executes(*_POLICY_FUNCTIONS, "read_json(text)", "groups_of(text)"),
    ),
}
"""Rights of a kind of role. Row security says for which rows they hold; events are written by functions only."""
