"""Functions about people and open questions: who looks at one, what people did about it (store.md D15, D16, D19). Text
only; runs nothing."""

from __future__ import annotations

from jp_tui.journal.postgres.row_security import CHANNEL, DEFINER

CLAIM_SECONDS = 600
"""Seconds for which a person looks at a question (D16)."""

CLAIMS = (
    # who looks at an open question, until when; a row that is over counts for nothing
    """
    CREATE TABLE jp_tui.claims (
      conversation  bigint NOT NULL REFERENCES jp_tui.conversations (key) ON DELETE CASCADE,
      inquiry       text COLLATE "C" NOT NULL,
      role          text COLLATE "C" NOT NULL,
      until         timestamptz NOT NULL,
      PRIMARY KEY (conversation, inquiry)
    )
    """,
    # look at a question, or let it go; returns who looks at it afterwards, empty if no one does, NULL if it isn't open
    # for the acting role
    f"""
    CREATE FUNCTION jp_tui.claim(p_id text, p_inquiry text, p_release boolean) RETURNS text
    LANGUAGE plpgsql {DEFINER} AS $$
    DECLARE
      v_me text := jp_tui.me();
      v_now timestamptz := clock_timestamp();
      v_held text;
      c record;
      a record;
    BEGIN
      SELECT w.conversation AS key, w.owner, w.asks INTO c FROM jp_tui.waiting AS w
        WHERE w.conversation = (SELECT key FROM jp_tui.conversations WHERE id = p_id) AND w.inquiry = p_inquiry
          AND w.missing > 0 FOR UPDATE;
      IF NOT FOUND OR NOT c.asks = ANY (jp_tui.names()) THEN
        RETURN NULL;
      END IF;
      -- who asks can't approve it, so such a claim would only keep others from it
      a := jp_tui.asked(c.key, c.owner, p_inquiry, 9223372036854775807);
      IF a.needed > 1 AND v_me = ANY (array_remove(a.askers, NULL)) THEN
        RETURN NULL;
      END IF;
      SELECT role INTO v_held FROM jp_tui.claims
        WHERE conversation = c.key AND inquiry = p_inquiry AND until > v_now;
      IF v_held IS NOT NULL AND v_held <> v_me THEN
        RETURN v_held;
      END IF;
      IF p_release THEN
        DELETE FROM jp_tui.claims WHERE conversation = c.key AND inquiry = p_inquiry;
      ELSE
        INSERT INTO jp_tui.claims VALUES (c.key, p_inquiry, v_me, v_now + interval '{CLAIM_SECONDS} seconds')
          ON CONFLICT (conversation, inquiry) DO UPDATE SET role = excluded.role, until = excluded.until;
        DELETE FROM jp_tui.claims WHERE until < v_now - interval '1 day';
      END IF;
      IF p_release = (v_held IS NOT NULL) THEN
        PERFORM pg_notify('{CHANNEL}', left(p_id, 200));
      END IF;
      RETURN CASE WHEN p_release THEN '' ELSE v_me END;
    END $$
    """,
    # approvals, hand-overs and claims of the open questions that the acting role asks or may answer
    f"""
    CREATE FUNCTION jp_tui.acts() RETURNS TABLE (id text, inquiry text, seq bigint, kind text, payload text)
    LANGUAGE plpgsql STABLE {DEFINER} AS $$
    #variable_conflict use_column
    DECLARE
      v_me text := jp_tui.me();
      v_names text[];
    BEGIN
      -- a store of one person ends here
      IF NOT EXISTS (SELECT 1 FROM jp_tui.roles WHERE kind IN ('owner', 'person') AND role <> v_me) THEN
        RETURN;
      END IF;
      v_names := jp_tui.names();
      RETURN QUERY
        WITH mine AS (
          SELECT w.conversation, w.inquiry, w.seq FROM jp_tui.waiting AS w
          WHERE w.missing > 0 AND (w.owner = v_me OR w.asks = ANY (v_names))
        ), done AS (
          SELECT m.conversation, m.inquiry, e.seq, e.kind, e.payload FROM mine AS m CROSS JOIN LATERAL (
            SELECT * FROM jp_tui.events WHERE conversation = m.conversation AND inquiry = m.inquiry AND seq > m.seq
              AND kind IN ('inquiry_vote', 'inquiry_assigned')) AS e
          UNION ALL SELECT m.conversation, m.inquiry, 0, 'claim', k.role FROM mine AS m
            JOIN jp_tui.claims AS k ON k.conversation = m.conversation AND k.inquiry = m.inquiry
              AND k.until > clock_timestamp()
        )
        SELECT c.id, d.inquiry, d.seq, d.kind, d.payload FROM done AS d
          JOIN jp_tui.conversations AS c ON c.key = d.conversation AND c.hidden = '' ORDER BY c.id, d.seq;
    END $$
    """,
)
