"""Functions that decide whether an answer is who it says, and may be given (store.md D13-D17). Text only; runs nothing.

They read the stored payloads, as every client does, and trust nothing that a client says beside them.
"""

from __future__ import annotations

from jp_tui.journal.postgres.row_security import HELPER, PLAIN

ANSWERS = (
    # PostgreSQL can't hold \\u0000 and lone surrogates in jsonb; they become a letter here
    rf"""
    CREATE FUNCTION jp_tui.read_json(p_text text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE {PLAIN} AS $$
    BEGIN
      RETURN p_text::jsonb;
    EXCEPTION WHEN others THEN
      BEGIN
        RETURN regexp_replace(
          replace(p_text, '\\', '\u005c'), '\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{{2}})', 'x', 'g')::jsonb;
      EXCEPTION WHEN others THEN
        RETURN NULL;
      END;
    END $$
    """,
    # whom a question asks now, how many must approve, and the roles that ask. A turn may hold requests of the same id:
    # none of them takes back what another demands
    rf"""
    CREATE FUNCTION jp_tui.asked(p_key bigint, p_owner text, p_inquiry text, p_before bigint,
      OUT asks text, OUT needed int, OUT askers text[], OUT digest text, OUT first bigint, OUT seq bigint,
      OUT turn bigint)
    LANGUAGE plpgsql STABLE {HELPER} AS $$
    DECLARE
      r record;
      v_about jsonb;
      v_to text := '';
    BEGIN
      needed := 1;
      askers := ARRAY[p_owner];
      FOR r IN SELECT e.seq, e.turn, e.who, e.kind, e.payload FROM jp_tui.events AS e WHERE e.conversation = p_key
          AND e.inquiry = p_inquiry AND e.kind IN ('inquiry_request', 'inquiry_assigned') AND e.seq < p_before
          ORDER BY e.seq LOOP
        IF r.kind = 'inquiry_assigned' THEN
          v_to := coalesce(jp_tui.read_json(r.payload) ->> 'to', '');
          CONTINUE;
        END IF;
        IF r.turn IS DISTINCT FROM turn THEN
          needed := 1;
          v_to := '';
          first := r.seq;
        END IF;
        seq := r.seq;
        turn := r.turn;
        askers := askers || r.who;
        -- most questions name nobody: their text, which may be long, is not parsed
        CONTINUE WHEN strpos(r.payload, '"to"') = 0 AND strpos(r.payload, '"approvals"') = 0
          AND strpos(r.payload, '\u') = 0;
        v_about := jp_tui.read_json(r.payload) -> 'metadata';
        digest := coalesce(v_about ->> 'digest', digest);
        askers := askers || (v_about ->> 'asked_by');
        v_to := coalesce(nullif(v_about ->> 'to', ''), v_to);
        CONTINUE WHEN NOT coalesce(v_about ? 'approvals', false);
        needed := greatest(needed, CASE WHEN v_about ->> 'approvals' ~ '^([2-9]|1[0-9]|20)$'
          THEN (v_about ->> 'approvals')::int ELSE 20 END);
      END LOOP;
      asks := coalesce(nullif(v_to, ''), CASE WHEN needed > 1 THEN '*' ELSE p_owner END);
    END $$
    """,
    # true if this person may answer now, in this name
    f"""
    CREATE FUNCTION jp_tui.may_answer(p_who text, p_for text, p_asks text, p_needed int, p_askers text[])
    RETURNS boolean LANGUAGE plpgsql STABLE {HELPER} AS $$
    DECLARE
      v_name text := coalesce(nullif(p_for, ''), p_who);
    BEGIN
      RETURN jp_tui.is_person(p_who) AND jp_tui.is_person(v_name)
        AND (v_name = p_who OR jp_tui.answers_for(p_who, v_name))
        AND (p_needed = 1 OR NOT (ARRAY[p_who, v_name] && array_remove(p_askers, NULL)))
        AND jp_tui.is_asked(v_name, p_asks);
    END $$
    """,
    # people whose approval of this question counts, each with the name that it is given in
    f"""
    CREATE FUNCTION jp_tui.votes(p_key bigint, p_inquiry text, p_after bigint, p_before bigint, p_digest text)
    RETURNS TABLE (who text, name text) LANGUAGE plpgsql STABLE {HELPER} AS $$
    #variable_conflict use_column
    BEGIN
      RETURN QUERY SELECT e.who, coalesce(nullif(d.doc -> 'responder' ->> 'for', ''), e.who) FROM jp_tui.events AS e
        CROSS JOIN LATERAL (SELECT jp_tui.read_json(e.payload) AS doc OFFSET 0) AS d
        WHERE e.conversation = p_key AND e.inquiry = p_inquiry AND e.kind = 'inquiry_vote' AND e.who IS NOT NULL
          AND e.seq > p_after AND e.seq < p_before AND d.doc -> 'vote' = 'true'
          AND d.doc -> 'metadata' ->> 'digest' IS NOT DISTINCT FROM p_digest;
    END $$
    """,
    # true if a line of text, as `jp-tui answer` takes it, is this answer
    f"""
    CREATE FUNCTION jp_tui.spells(p_text text, p_answer jsonb) RETURNS boolean LANGUAGE plpgsql IMMUTABLE {PLAIN} AS $$
    BEGIN
      IF p_answer IN ('true', 'false') AND lower(btrim(p_text)) IN ('yes', 'no') THEN
        RETURN (lower(btrim(p_text)) = 'yes') = (p_answer = 'true');
      END IF;
      RETURN coalesce(jsonb_typeof(p_answer) = 'string' AND p_answer #>> '{{}}' = p_text, false) OR coalesce(
        jp_tui.read_json(CASE WHEN p_answer IN ('true', 'false') THEN lower(p_text) ELSE p_text END) = p_answer, false);
    END $$
    """,
    # the role that gave an answer: the acting one, or whoever offered it; NULL if neither
    f"""
    CREATE FUNCTION jp_tui.giver(p_id text, p_inquiry text, p_kind text, p_doc jsonb) RETURNS text
    LANGUAGE plpgsql STABLE {HELPER} AS $$
    DECLARE
      v_offer text := p_doc -> 'responder' ->> 'offer';
      o record;
      v_given jsonb;
      v_same boolean;
    BEGIN
      IF v_offer IS NULL THEN
        RETURN jp_tui.me();
      END IF;
      IF v_offer !~ '^[0-9]{{1,18}}$' THEN
        RETURN NULL;
      END IF;
      SELECT who, payload INTO o FROM jp_tui.offers
        WHERE id = v_offer::bigint AND conversation = p_id AND inquiry = p_inquiry AND state = 'open';
      IF NOT FOUND THEN
        RETURN NULL;
      END IF;
      v_given := jp_tui.read_json(o.payload);
      v_same := CASE
        WHEN p_kind = 'inquiry_vote' THEN jp_tui.spells(v_given ->> 'value', p_doc -> 'vote')
        WHEN p_kind = 'inquiry_assigned' THEN v_given ->> 'to' = p_doc ->> 'to'
        WHEN p_doc ->> 'outcome' = 'answered' THEN jp_tui.spells(v_given ->> 'value', p_doc -> 'answer')
        WHEN p_doc ->> 'outcome' = 'cancelled' THEN v_given -> 'decline' = 'true'
      END;
      RETURN CASE WHEN v_same THEN o.who END;
    END $$
    """,
    # true if a sub-agent's log repeats an answer that is in its parent's
    f"""
    CREATE FUNCTION jp_tui.is_relayed(p_parent text, p_owner text, p_id text, p_inquiry text, p_doc jsonb)
    RETURNS boolean LANGUAGE plpgsql STABLE {HELPER} AS $$
    BEGIN
      RETURN EXISTS (
        SELECT 1 FROM jp_tui.conversations AS p JOIN jp_tui.events AS q ON q.conversation = p.key
          AND q.inquiry IS NOT NULL AND q.kind = 'inquiry_request'
        CROSS JOIN LATERAL (SELECT jp_tui.read_json(q.payload) -> 'metadata' AS about OFFSET 0) AS m
        JOIN jp_tui.events AS a ON a.conversation = p.key AND a.inquiry = q.inquiry AND a.kind = 'inquiry_response'
        CROSS JOIN LATERAL (SELECT jp_tui.read_json(a.payload) AS doc OFFSET 0) AS d
        WHERE p.id = p_parent AND p.owner = p_owner AND m.about ->> 'agent' = p_id AND m.about ->> 'asks' = p_inquiry
          AND a.who = p_doc -> 'responder' ->> 'who' AND d.doc ->> 'outcome' IS NOT DISTINCT FROM p_doc ->> 'outcome'
          AND d.doc -> 'answer' IS NOT DISTINCT FROM p_doc -> 'answer'
      );
    END $$
    """,
    # true if a person gives this event, not a setting, a reviewer or the program itself
    f"""
    CREATE FUNCTION jp_tui.is_personal(p_kind text, p_doc jsonb) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE {PLAIN} AS $$
    DECLARE
      v_by text := coalesce(p_doc -> 'responder' ->> 'kind', '');
    BEGIN
      RETURN p_kind <> 'inquiry_response' OR p_doc ->> 'outcome' IS NOT DISTINCT FROM 'redacted' OR v_by = 'user'
        OR (p_doc ? 'answer' AND v_by NOT IN ('assistant', 'static', 'remembered', 'default', 'system'));
    END $$
    """,
    # why an answer, an approval or a hand-over is refused; NULL if it isn't
    f"""
    CREATE FUNCTION jp_tui.objection(p_key bigint, p_owner text, p_kind text, p_inquiry text, p_seq bigint, p_who text,
      p_writer boolean, p_doc jsonb) RETURNS text LANGUAGE plpgsql STABLE {HELPER} AS $$
    DECLARE
      v_by jsonb := p_doc -> 'responder';
      v_outcome text := coalesce(p_doc ->> 'outcome', '');
      v_for text := coalesce(nullif(v_by ->> 'for', p_who), '');
      v_to text;
      v_yes boolean;
      a record;
      v record;
    BEGIN
      IF p_doc IS NULL THEN
        RETURN 'the answer can''t be read';
      END IF;
      a := jp_tui.asked(p_key, p_owner, p_inquiry, p_seq);
      IF NOT jp_tui.is_personal(p_kind, p_doc) THEN
        RETURN CASE WHEN NOT p_writer THEN 'only a person answers it'
          WHEN a.needed > 1 AND p_doc ? 'answer' THEN 'only people approve it' END;
      END IF;
      IF p_who IS NULL THEN
        RETURN 'this answer was never offered';
      END IF;
      IF v_by ->> 'who' IS DISTINCT FROM p_who AND v_outcome <> 'redacted' AND (v_by ? 'who' OR p_who <> p_owner) THEN
        RETURN 'it names another role';
      END IF;
      IF v_outcome = 'cancelled' AND p_kind = 'inquiry_response' AND p_who = p_owner THEN
        RETURN NULL; -- an owner withdraws what waits for others
      END IF;
      IF a.seq IS NULL THEN
        RETURN CASE WHEN p_who <> p_owner OR p_kind <> 'inquiry_response' OR NOT jp_tui.is_person(p_who)
          THEN 'there is no such question' END;
      END IF;
      IF p_kind = 'inquiry_assigned' THEN
        v_to := coalesce(p_doc ->> 'to', '');
        RETURN CASE
          WHEN p_who <> p_owner AND NOT jp_tui.may_answer(p_who, v_for, a.asks, a.needed, a.askers)
            THEN 'it waits for other people'
          WHEN v_to NOT IN ('', p_owner) AND NOT starts_with(v_to, 'role:') AND NOT jp_tui.is_person(v_to)
            THEN 'it goes to a role that answers nothing'
          WHEN a.needed > 1 AND (v_to = '' OR v_to = ANY (array_remove(a.askers, NULL)))
            THEN 'you can''t approve your own question'
          END;
      END IF;
      IF NOT jp_tui.may_answer(p_who, v_for, a.asks, a.needed, a.askers) THEN
        RETURN CASE WHEN NOT jp_tui.is_person(p_who) THEN 'this role answers nothing'
          WHEN a.needed > 1 AND p_who = ANY (array_remove(a.askers, NULL)) THEN 'you can''t approve your own question'
          ELSE 'it waits for other people' END;
      END IF;
      IF a.needed = 1 THEN
        RETURN CASE WHEN p_kind = 'inquiry_vote' THEN 'one answer settles it' END;
      END IF;
      IF p_kind = 'inquiry_response' AND v_outcome = 'cancelled' AND NOT p_doc ? 'answer' THEN
        RETURN NULL;
      END IF;
      v_yes := p_doc -> CASE p_kind WHEN 'inquiry_vote' THEN 'vote' ELSE 'answer' END = 'true';
      IF NOT coalesce(v_yes, false) THEN
        -- the first no settles it
        RETURN CASE WHEN p_kind = 'inquiry_vote' OR p_doc -> 'answer' IS DISTINCT FROM 'false'
          THEN 'it is a yes or a no' END;
      END IF;
      SELECT count(*) AS given, coalesce(array_agg(g.who), '{{}}') AS people,
        coalesce(array_agg(g.name), '{{}}') AS names
        INTO v FROM jp_tui.votes(p_key, p_inquiry, a.first, p_seq, a.digest) AS g;
      IF p_who = ANY (v.people) OR coalesce(nullif(v_for, ''), p_who) = ANY (v.names) THEN
        RETURN 'this approval was counted already';
      END IF;
      IF p_kind = 'inquiry_vote' THEN
        RETURN CASE WHEN p_doc -> 'metadata' ->> 'digest' IS DISTINCT FROM a.digest THEN 'the question has changed' END;
      END IF;
      RETURN CASE WHEN v.given + 1 < a.needed THEN 'it needs ' || a.needed || ' approvals'
        WHEN (SELECT array_agg(x ORDER BY x) FROM jsonb_array_elements_text(
            CASE jsonb_typeof(p_doc -> 'approved_by') WHEN 'array' THEN p_doc -> 'approved_by' ELSE '[]' END) AS x)
          IS DISTINCT FROM (SELECT array_agg(x ORDER BY x) FROM unnest(v.people || p_who) AS x)
          THEN 'approved_by names other people' END;
    END $$
    """,
)
