"""Functions through which events, leases and offers are written, and those that read beyond a role's own conversations
(store.md D9-D11, D18). Text only; runs nothing.

An append is one call of `append_events`: the writer and its lease are checked, numbers are given, answers are judged,
and what is derived from events is kept, all in one statement.
"""

from __future__ import annotations

from jp_tui.journal.port import OUTSIDE, SPAN
from jp_tui.journal.postgres.row_security import APPENDS, CHANNEL, DEFINER

WRITES = (
    f"DROP FUNCTION jp_tui.append_events({APPENDS})",
    # a sub-agent's conversation belongs to whom its parent belongs to
    f"""
    CREATE FUNCTION jp_tui.create_conversation(p_id text, p_workspace text, p_title text, p_model text, p_at text,
      p_parent text, p_machine text, p_may_act boolean) RETURNS boolean LANGUAGE plpgsql {DEFINER} AS $$
    DECLARE
      v_owner text := jp_tui.me();
      v_act boolean := p_may_act;
      p record;
    BEGIN
      SELECT owner, may_act, barred INTO p FROM jp_tui.conversations WHERE id = p_parent;
      IF FOUND AND jp_tui.writes(p.owner, p.may_act, p.barred) THEN
        v_owner := p.owner;
        v_act := p.may_act;
      END IF;
      INSERT INTO jp_tui.conversations (id, owner, may_act, workspace, title, model, created, updated, parent, machine)
        VALUES (p_id, v_owner, v_act, p_workspace, p_title, p_model, p_at, p_at, p_parent, p_machine)
        ON CONFLICT (id) DO NOTHING;
      RETURN FOUND;
    END $$
    """,
    # `p_open`: only while this inquiry is open, and `p_after` is the number of its last event; then a person that it
    # asks appends its answer to another's conversation, which no process holds. `p_copied`: the events come from
    # another store
    f"""
    CREATE FUNCTION jp_tui.append_events(
      p_id text, p_fence bigint, p_token text, p_kinds text[], p_turns bigint[], p_inquiries text[], p_ats text[],
      p_lines bigint[], p_sizes bigint[], p_payloads text[], p_texts text[], p_parts text[], p_open text,
      p_after bigint, p_copied boolean, OUT status text, OUT last bigint
    ) LANGUAGE plpgsql {DEFINER} AS $$
    DECLARE
      c record;
      a record;
      n int := cardinality(p_kinds);
      v_me text := jp_tui.me();
      v_writer boolean;
      v_copied boolean;
      v_who text[] := array_fill(NULL::text, ARRAY[n]);
      v_docs jsonb[] := array_fill(NULL::jsonb, ARRAY[n]);
      v_relayed boolean[] := array_fill(false, ARRAY[n]);
      v_turns bigint;
      v_ended bigint;
      v_barred boolean;
      v_words text;
      told boolean := false;
    BEGIN
      SELECT key, owner, may_act, barred, parent, hidden, last_seq, turns, ended INTO c FROM jp_tui.conversations
        WHERE id = p_id FOR UPDATE;
      IF NOT FOUND THEN
        status := 'unknown';
        RETURN;
      END IF;
      v_writer := jp_tui.writes(c.owner, c.may_act, c.barred);
      IF NOT v_writer AND NOT coalesce(p_fence IS NULL AND n = 1 AND cardinality(p_parts) = 0 AND NOT p_copied
          AND p_kinds[1] IN ('inquiry_response', 'inquiry_vote', 'inquiry_assigned') AND p_inquiries[1] = p_open
          AND jp_tui.is_party(c.key, p_open), false) THEN
        status := 'unknown';
        RETURN;
      END IF;
      status := jp_tui.refusal(p_id, p_fence, p_token);
      IF status IS NOT NULL THEN
        RETURN;
      END IF;
      last := c.last_seq;
      IF p_open IS NOT NULL AND (
          NOT EXISTS (SELECT 1 FROM jp_tui.waiting WHERE conversation = c.key AND inquiry = p_open AND missing > 0)
          OR p_after <> (SELECT max(seq) FROM jp_tui.events WHERE conversation = c.key AND inquiry = p_open)) THEN
        status := 'closed';
        RETURN;
      END IF;
      v_copied := p_copied OR c.hidden = 'making';
      IF v_copied AND c.owner <> v_me THEN
        PERFORM jp_tui.refuse('events are copied into one''s own conversations only');
      END IF;
      v_turns := c.turns;
      v_ended := c.ended;
      v_barred := c.barred;
      IF n > 0 THEN
        FOR i IN 1..n LOOP
          v_who[i] := v_me;
          IF p_kinds[i] IN ('inquiry_response', 'inquiry_vote', 'inquiry_assigned') THEN
            v_docs[i] := jp_tui.read_json(p_payloads[i]);
            CONTINUE WHEN v_docs[i] IS NULL OR NOT jp_tui.is_personal(p_kinds[i], v_docs[i]);
            v_who[i] := jp_tui.giver(p_id, p_inquiries[i], p_kinds[i], v_docs[i]);
            IF v_who[i] IS DISTINCT FROM v_docs[i] -> 'responder' ->> 'who' AND c.parent IS NOT NULL
                AND jp_tui.is_relayed(c.parent, c.owner, p_id, p_inquiries[i], v_docs[i]) THEN
              v_who[i] := v_docs[i] -> 'responder' ->> 'who';
              v_relayed[i] := true;
            END IF;
          END IF;
        END LOOP;
        INSERT INTO jp_tui.events
          (conversation, seq, turn, kind, inquiry, at, lines, characters, payload, text, fence, who)
          SELECT c.key, last + e.n, e.turn, e.kind, e.inquiry, e.at, e.lines, e.size, e.payload, e.text,
            coalesce(p_fence, 0), CASE WHEN NOT v_copied THEN e.who END
          FROM unnest(p_turns, p_kinds, p_inquiries, p_ats, p_lines, p_sizes, p_payloads, p_texts, v_who)
            WITH ORDINALITY AS e (turn, kind, inquiry, at, lines, size, payload, text, who, n);
        INSERT INTO jp_tui.spans AS s
          SELECT c.key, (last + e.n - 1) / {SPAN}, min(last + e.n), max(last + e.n), count(*), sum(e.size), sum(e.lines)
          FROM unnest(p_sizes, p_lines) WITH ORDINALITY AS e (size, lines, n) GROUP BY 2
          ON CONFLICT (conversation, number) DO UPDATE SET
            last_seq = excluded.last_seq, events = s.events + excluded.events,
            characters = s.characters + excluded.characters, lines = s.lines + excluded.lines;
        FOR i IN 1..n LOOP
          IF (p_kinds[i] = 'turn_outcome' AND p_turns[i] >= v_turns) OR p_turns[i] > v_turns THEN
            DELETE FROM jp_tui.waiting WHERE conversation = c.key;
            told := told OR FOUND;
          END IF;
          IF p_kinds[i] = 'turn_outcome' AND p_turns[i] >= v_turns THEN
            v_ended := p_turns[i];
            v_barred := false;
            told := true;
          END IF;
          v_turns := greatest(v_turns, p_turns[i]);
          CONTINUE WHEN p_inquiries[i] IS NULL OR p_kinds[i] NOT IN
            ('inquiry_request', 'inquiry_response', 'inquiry_vote', 'inquiry_assigned');
          IF p_kinds[i] IN ('inquiry_response', 'inquiry_vote', 'inquiry_assigned') THEN
            IF v_copied THEN
              a := jp_tui.asked(c.key, c.owner, p_inquiries[i], last + i + 1);
              IF a.needed > 1 OR a.asks <> c.owner THEN
                IF EXISTS (SELECT 1 FROM jp_tui.events WHERE conversation = c.key AND inquiry = p_inquiries[i]
                    AND kind = 'inquiry_request' AND who IS NOT NULL) THEN
                  PERFORM jp_tui.refuse('a copy answers what was asked here');
                END IF;
                v_barred := true;
              END IF;
            ELSIF NOT v_relayed[i] THEN
              v_words := jp_tui.objection(
                c.key, c.owner, p_kinds[i], p_inquiries[i], last + i, v_who[i], v_writer, v_docs[i]);
              IF v_words IS NULL AND NOT v_writer THEN
                a := jp_tui.asked(c.key, c.owner, p_open, last + 1);
                IF p_turns[1] IS DISTINCT FROM a.turn OR length(p_payloads[1]) > 4194304 OR p_texts[1] <> '' THEN
                  v_words := 'it doesn''t fit the question';
                END IF;
              END IF;
              IF v_words IS NOT NULL THEN
                PERFORM jp_tui.refuse(v_words);
              END IF;
              IF v_who[i] <> c.owner AND jp_tui.is_personal(p_kinds[i], v_docs[i]) THEN
                INSERT INTO jp_tui.parties VALUES (c.key, p_inquiries[i], v_who[i]) ON CONFLICT DO NOTHING;
              END IF;
            END IF;
          END IF;
          a := jp_tui.asked(c.key, c.owner, p_inquiries[i], last + i + 1);
          IF p_kinds[i] IN ('inquiry_vote', 'inquiry_assigned') THEN
            UPDATE jp_tui.waiting SET asks = a.asks WHERE conversation = c.key AND inquiry = p_inquiries[i];
            told := true;
          ELSIF v_ended < p_turns[i] AND p_turns[i] = v_turns THEN
            told := true;
            DELETE FROM jp_tui.waiting WHERE conversation = c.key AND inquiry = p_inquiries[i];
            INSERT INTO jp_tui.waiting (conversation, inquiry, missing, seq, owner, asks)
              SELECT c.key, p_inquiries[i], sum(CASE WHEN kind = 'inquiry_request' THEN 1 ELSE -1 END),
                coalesce(max(seq) FILTER (WHERE kind = 'inquiry_request'), max(seq)), c.owner, a.asks
              FROM jp_tui.events
              WHERE conversation = c.key AND inquiry = p_inquiries[i] AND turn = p_turns[i]
                AND kind IN ('inquiry_request', 'inquiry_response') AND seq <= last + n
              HAVING sum(CASE WHEN kind = 'inquiry_request' THEN 1 ELSE -1 END) <> 0;
          END IF;
          -- a claim ends with an answer, a hand-over and its own role's approval; deleted after `waiting` is locked, as
          -- in `claim`
          DELETE FROM jp_tui.claims WHERE conversation = c.key AND inquiry = p_inquiries[i]
            AND (p_kinds[i] <> 'inquiry_vote' OR role = v_who[i]);
          IF a.asks NOT IN ('*', c.owner) THEN
            INSERT INTO jp_tui.parties VALUES (c.key, p_inquiries[i], a.asks) ON CONFLICT DO NOTHING;
          END IF;
        END LOOP;
        UPDATE jp_tui.conversations AS r SET
          events = r.events + n, last_seq = last + n, turns = v_turns, ended = v_ended, barred = v_barred,
          updated = greatest(r.updated, (SELECT max(t COLLATE "C") FROM unnest(p_ats) AS t)),
          hidden = CASE WHEN r.hidden = 'making' THEN r.hidden ELSE '' END,
          outside = r.outside OR (last = 0 AND p_kinds[1] = '{OUTSIDE}')
        WHERE r.key = c.key;
      END IF;
      IF cardinality(p_parts) > 0 THEN
        DELETE FROM jp_tui.partials WHERE conversation = c.key AND part = ANY (p_parts);
      END IF;
      IF told THEN
        PERFORM pg_notify('{CHANNEL}', left(p_id, 200));
      END IF;
    END $$
    """,
    f"""
    CREATE FUNCTION jp_tui.remove_events(p_id text, p_most int) RETURNS bigint LANGUAGE plpgsql {DEFINER} AS $$
    DECLARE
      v_key bigint;
      v_first bigint;
      v_count bigint;
    BEGIN
      SELECT key INTO v_key FROM jp_tui.conversations
        WHERE id = p_id AND hidden <> '' AND owner = jp_tui.me() FOR UPDATE;
      IF NOT FOUND THEN
        RETURN 0;
      END IF;
      SELECT min(seq), count(*) INTO v_first, v_count FROM (
        SELECT seq FROM jp_tui.events WHERE conversation = v_key ORDER BY seq DESC LIMIT p_most) AS e;
      DELETE FROM jp_tui.waiting WHERE conversation = v_key;
      IF v_count > 0 THEN
        DELETE FROM jp_tui.search WHERE conversation = v_key AND seq >= v_first;
        DELETE FROM jp_tui.events WHERE conversation = v_key AND seq >= v_first;
        -- a partly removed conversation is never restored
        UPDATE jp_tui.conversations SET hidden = 'making', last_seq = v_first - 1, events = v_first - 1,
          indexed = least(indexed, v_first - 1) WHERE key = v_key;
        RETURN v_count;
      END IF;
      DELETE FROM jp_tui.spans WHERE conversation = v_key;
      DELETE FROM jp_tui.partials WHERE conversation = v_key;
      DELETE FROM jp_tui.search WHERE conversation = v_key;
      DELETE FROM jp_tui.parties WHERE conversation = v_key;
      DELETE FROM jp_tui.drafts WHERE conversation = p_id;
      DELETE FROM jp_tui.offers WHERE conversation = p_id;
      DELETE FROM jp_tui.conversations WHERE key = v_key;
      RETURN 0;
    END $$
    """,
    f"""
    CREATE FUNCTION jp_tui.index_events(p_key bigint, p_seqs bigint[], p_words text[], p_upto bigint) RETURNS void
    LANGUAGE plpgsql {DEFINER} AS $$
    BEGIN
      UPDATE jp_tui.conversations SET indexed = least(p_upto, last_seq)
        WHERE key = p_key AND jp_tui.writes(owner, may_act, barred);
      IF NOT FOUND THEN
        PERFORM jp_tui.refuse('this conversation is another''s');
      END IF;
      INSERT INTO jp_tui.search SELECT p_key, s, to_tsvector('simple', w) FROM unnest(p_seqs, p_words) AS n (s, w)
        ON CONFLICT DO NOTHING;
    END $$
    """,
    f"""
    CREATE FUNCTION jp_tui.renew_index() RETURNS void LANGUAGE plpgsql {DEFINER} AS $$
    BEGIN
      DELETE FROM jp_tui.search WHERE conversation IN (SELECT key FROM jp_tui.conversations WHERE owner = jp_tui.me());
      UPDATE jp_tui.conversations SET indexed = 0 WHERE indexed <> 0 AND owner = jp_tui.me();
    END $$
    """,
    # in a function, since the index of words can't be used beneath a policy
    f"""
    CREATE FUNCTION jp_tui.search_words(p_words tsquery, p_conversation bigint, p_seq bigint, p_most int)
    RETURNS TABLE (conversation bigint, seq bigint) LANGUAGE plpgsql STABLE {DEFINER} AS $$
    #variable_conflict use_column
    DECLARE
      v_me text := jp_tui.me();
      v_worker boolean := jp_tui.my_kind() = 'worker';
    BEGIN
      RETURN QUERY SELECT s.conversation, s.seq FROM jp_tui.search AS s
        JOIN jp_tui.conversations AS c ON c.key = s.conversation
          AND (c.owner = v_me OR (v_worker AND c.may_act AND NOT c.barred))
        WHERE s.words @@ p_words AND (s.conversation, s.seq) < (p_conversation, p_seq)
        ORDER BY s.conversation DESC, s.seq DESC LIMIT p_most;
    END $$
    """,
    # an answer for whoever holds the conversation
    f"""
    CREATE FUNCTION jp_tui.make_offer(p_id text, p_inquiry text, p_payload text, p_at text, p_machine text, p_old text)
    RETURNS bigint LANGUAGE plpgsql {DEFINER} AS $$
    DECLARE
      v_me text := jp_tui.me();
      v_id bigint;
      c record;
    BEGIN
      SELECT key, owner, may_act, barred INTO c FROM jp_tui.conversations WHERE id = p_id;
      IF NOT FOUND OR NOT (jp_tui.writes(c.owner, c.may_act, c.barred) OR EXISTS (SELECT 1 FROM jp_tui.waiting
          WHERE conversation = c.key AND inquiry = p_inquiry AND asks = ANY (jp_tui.names()))) THEN
        RETURN NULL;
      END IF;
      DELETE FROM jp_tui.offers WHERE at < p_old AND (who = v_me OR owner = v_me);
      INSERT INTO jp_tui.offers (conversation, inquiry, payload, at, who, machine, owner)
        VALUES (p_id, p_inquiry, p_payload, p_at, v_me, p_machine, c.owner) RETURNING id INTO v_id;
      PERFORM pg_notify('{CHANNEL}', left(p_id, 200));
      RETURN v_id;
    END $$
    """,
    # these in functions as well: a right to delete is one to lock the whole table
    f"""
    CREATE FUNCTION jp_tui.withdraw_offer(p_id bigint) RETURNS void LANGUAGE plpgsql {DEFINER} AS $$
    BEGIN
      DELETE FROM jp_tui.offers WHERE id = p_id AND state = 'open' AND who = jp_tui.me();
    END $$
    """,
    f"""
    CREATE FUNCTION jp_tui.clear_draft(p_id text, p_key text) RETURNS void LANGUAGE plpgsql {DEFINER} AS $$
    BEGIN
      DELETE FROM jp_tui.drafts WHERE owner = jp_tui.me() AND conversation = p_id AND key = p_key;
    END $$
    """,
    f"""
    CREATE FUNCTION jp_tui.forget_writes() RETURNS void LANGUAGE plpgsql {DEFINER} AS $$
    BEGIN
      DELETE FROM jp_tui.writes WHERE role = jp_tui.me() AND at < clock_timestamp() - interval '1 day';
    END $$
    """,
    f"""
    CREATE FUNCTION jp_tui.take_lease(p_name text, p_token text, p_machine text, p_program text, p_pid bigint,
      p_secs double precision, p_may_act boolean) RETURNS bigint LANGUAGE plpgsql {DEFINER} AS $$
    DECLARE
      v_me text := jp_tui.me();
      v_fence bigint;
      c record;
    BEGIN
      SELECT key, owner, may_act, barred INTO c FROM jp_tui.conversations WHERE id = p_name;
      IF c.key IS NOT NULL AND NOT jp_tui.writes(c.owner, c.may_act, c.barred) THEN
        PERFORM jp_tui.refuse('this conversation is another''s');
      END IF;
      INSERT INTO jp_tui.leases AS l (name, fence, token, role, machine, program, pid, since, expires)
        VALUES (p_name, 1, p_token, v_me, p_machine, p_program, p_pid, clock_timestamp(),
          clock_timestamp() + make_interval(secs => least(greatest(p_secs, 1), 600)))
        ON CONFLICT (name) DO UPDATE SET
          fence = l.fence + 1, token = excluded.token, role = excluded.role, machine = excluded.machine,
          program = excluded.program, pid = excluded.pid, since = excluded.since, expires = excluded.expires
        WHERE l.expires <= clock_timestamp() OR l.token = excluded.token
        RETURNING fence INTO v_fence;
      IF v_fence IS NOT NULL AND c.owner = v_me AND c.may_act <> p_may_act THEN
        UPDATE jp_tui.conversations SET may_act = p_may_act WHERE key = c.key;
      END IF;
      RETURN v_fence;
    END $$
    """,
    # what an idle client asks: a text that changes with what waits for it and what is offered; its leases are renewed
    f"""
    CREATE FUNCTION jp_tui.look(p_secs double precision, p_names text[], p_fences bigint[], p_tokens text[])
    RETURNS text LANGUAGE plpgsql {DEFINER} AS $$
    DECLARE
      v_me text := jp_tui.me();
      v_names text[] := jp_tui.names();
      v_worker boolean := cardinality(v_names) = 0 AND jp_tui.my_kind() = 'worker';
    BEGIN
      IF cardinality(p_names) > 0 THEN
        UPDATE jp_tui.leases AS l
          SET expires = clock_timestamp() + make_interval(secs => least(greatest(p_secs, 1), 600))
          FROM unnest(p_names, p_fences, p_tokens) AS m (name, fence, token)
          WHERE l.name = m.name AND l.fence = m.fence AND l.token = m.token AND l.role = v_me;
      END IF;
      RETURN (SELECT count(*) || ':' || coalesce(sum(hashtextextended(
          w.conversation || ' ' || w.inquiry || ' ' || w.missing || ' ' || w.seq || ' ' || w.asks || ' '
            || coalesce(k.role, ''), 0)), 0)
        FROM jp_tui.waiting AS w LEFT JOIN jp_tui.claims AS k ON k.conversation = w.conversation
          AND k.inquiry = w.inquiry AND k.until > clock_timestamp()
        WHERE w.owner = v_me OR w.asks = ANY (v_names) OR (v_worker AND EXISTS (
          SELECT 1 FROM jp_tui.conversations AS c WHERE c.key = w.conversation AND c.may_act AND NOT c.barred)))
        || ':' || (SELECT coalesce(max(o.id), 0) FROM jp_tui.offers AS o
          WHERE v_worker OR o.owner = v_me OR o.who = v_me);
    END $$
    """,
    f"""
    CREATE FUNCTION jp_tui.free_lease(p_name text, p_fence bigint, p_token text) RETURNS void
    LANGUAGE plpgsql {DEFINER} AS $$
    BEGIN
      UPDATE jp_tui.leases SET token = '', expires = '-infinity'
        WHERE name = p_name AND fence = p_fence AND token = p_token AND role = jp_tui.me();
      PERFORM pg_notify('{CHANNEL}', left(p_name, 200));
    END $$
    """,
    # who holds these names, as far as the acting role has to do with them
    f"""
    CREATE FUNCTION jp_tui.holders(p_names text[])
    RETURNS TABLE (role text, machine text, program text, pid bigint, since text, name text)
    LANGUAGE plpgsql STABLE {DEFINER} AS $$
    #variable_conflict use_column
    DECLARE
      v_names text[] := jp_tui.names();
    BEGIN
      RETURN QUERY SELECT l.role, l.machine, l.program, l.pid,
          to_char(l.since AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'), l.name
        FROM jp_tui.leases AS l LEFT JOIN jp_tui.conversations AS c ON c.id = l.name
        WHERE l.name = ANY (p_names) AND l.token <> '' AND l.expires > clock_timestamp() AND (
          c.key IS NULL OR jp_tui.writes(c.owner, c.may_act, c.barred)
          OR EXISTS (SELECT 1 FROM jp_tui.waiting AS w WHERE w.conversation = c.key AND w.asks = ANY (v_names)));
    END $$
    """,
)

OTHERS = (
    # open questions of other people's conversations that the acting role may answer
    f"""
    CREATE FUNCTION jp_tui.addressed(p_id text) RETURNS TABLE (
      id text, seq bigint, turn bigint, kind text, inquiry text, at text, lines bigint, characters bigint, payload text,
      text text) LANGUAGE plpgsql STABLE {DEFINER} AS $$
    #variable_conflict use_column
    DECLARE
      v_me text := jp_tui.me();
      v_names text[];
    BEGIN
      -- a store of one person ends here
      IF NOT EXISTS (SELECT 1 FROM jp_tui.waiting WHERE owner < v_me OR owner > v_me) THEN
        RETURN;
      END IF;
      v_names := jp_tui.names();
      RETURN QUERY SELECT c.id, e.seq, e.turn, e.kind, e.inquiry, e.at, e.lines, e.characters, e.payload, e.text
        FROM jp_tui.waiting AS w
        CROSS JOIN LATERAL (SELECT * FROM jp_tui.conversations WHERE key = w.conversation AND hidden = '' LIMIT 1) AS c
        CROSS JOIN LATERAL (
          SELECT * FROM jp_tui.events WHERE conversation = w.conversation AND seq = w.seq LIMIT 1) AS e
        WHERE w.missing > 0 AND w.asks = ANY (v_names) AND w.owner <> v_me AND (p_id IS NULL OR c.id = p_id);
    END $$
    """,
    # what is known to the acting role of other people's conversations in which it is asked or answered
    f"""
    CREATE FUNCTION jp_tui.conversations_of_others(p_ids text[])
    RETURNS TABLE (id text, owner text, machine text, workspace text, created text, updated text, outside boolean)
    LANGUAGE plpgsql STABLE {DEFINER} AS $$
    #variable_conflict use_column
    DECLARE
      v_names text[] := jp_tui.names();
    BEGIN
      RETURN QUERY SELECT c.id, c.owner, c.machine, c.workspace, c.created, c.updated, c.outside
        FROM jp_tui.conversations AS c
        WHERE c.id = ANY (p_ids) AND c.hidden = '' AND NOT jp_tui.writes(c.owner, c.may_act, c.barred) AND (
          EXISTS (SELECT 1 FROM jp_tui.waiting AS w WHERE w.conversation = c.key AND w.asks = ANY (v_names))
          OR EXISTS (SELECT 1 FROM jp_tui.parties AS p WHERE p.conversation = c.key AND p.name = ANY (v_names)));
    END $$
    """,
    # the key of a conversation under which the acting role reads events: policies say which
    f"""
    CREATE FUNCTION jp_tui.key_of(p_id text) RETURNS bigint LANGUAGE plpgsql STABLE {DEFINER} AS $$
    BEGIN
      RETURN (SELECT key FROM jp_tui.conversations WHERE id = p_id);
    END $$
    """,
)
