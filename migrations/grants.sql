-- What the serving login may do. Applied after every migration, and harmless
-- when applied again, so that a changed login needs no migration of its own.
-- The login's name arrives in the setting polaris.app_role.
DO $$
DECLARE
  app text := current_setting('polaris.app_role');
  t text;
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA public TO %I', app);
  EXECUTE format('GRANT SELECT ON goose_db_version TO %I', app);

  -- The draft is edited row by row. Of what decides about people and brains only
  -- the columns that operations change: that somebody is an instance admin is
  -- said when the row is made. That four eyes are off, and whose second account
  -- somebody's is, the triggers of 00002 let through only as it was decided.
  FOREACH t IN ARRAY ARRAY['memberships', 'sources', 'topic_cards'] LOOP
    EXECUTE format('GRANT SELECT, INSERT, UPDATE ON %I TO %I', t, app);
  END LOOP;
  EXECUTE format('GRANT SELECT, INSERT, UPDATE (published, four_eyes, four_eyes_until) ON brains TO %I', app);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE (password_hash, disabled_at, token_version, same_as) ON persons TO %I', app);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE (seen_at) ON sessions TO %I', app);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE (used_at) ON links TO %I', app);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON rate_hits TO %I', app);
  EXECUTE format('GRANT SELECT, INSERT, DELETE, UPDATE (signs_until, verifies_until) ON signing_keys TO %I', app);
  EXECUTE format('GRANT SELECT, INSERT, DELETE, UPDATE (refresh_hash, refreshed_at, revoked_at, revoke_cause) ON token_grants TO %I', app);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE (label, scopes, actor, owner_id, hash, prev_hash, prev_until, rotated_at, rotated_by, rev, expires_at, last_used_at, revoked_at, revoked_by, revoke_cause, rate_n, rate_seconds) ON api_keys TO %I', app);
  FOREACH t IN ARRAY ARRAY['revisions', 'blobs', 'passages', 'terms', 'cross_references', 'versions', 'version_sources', 'audit', 'audit_chain', 'audit_unsealed', 'answers'] LOOP
    EXECUTE format('GRANT SELECT, INSERT ON %I TO %I', t, app);
  END LOOP;
  FOREACH t IN ARRAY ARRAY['sessions', 'links', 'topic_cards', 'audit_unsealed'] LOOP
    EXECUTE format('GRANT DELETE ON %I TO %I', t, app);
  END LOOP;

  -- The queue: what waits is put in and read; all that is decided goes through
  -- the functions of 00002.
  FOREACH t IN ARRAY ARRAY['recommendations', 'participation', 'decision_rules', 'key_holders'] LOOP
    EXECUTE format('GRANT SELECT ON %I TO %I', t, app);
  END LOOP;
  EXECUTE format('GRANT INSERT ON recommendations TO %I', app);
  EXECUTE format('GRANT INSERT, UPDATE ON decision_rules TO %I', app); -- laxer only by a decision
  EXECUTE format('GRANT SELECT, INSERT ON quarantine TO %I', app);

  -- What is asked before a publish, and what retention left of the log. It
  -- removes through its function alone.
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON golden_questions TO %I', app);
  EXECUTE format('GRANT SELECT, INSERT, DELETE ON suspensions TO %I', app); -- gone only by a decision
  EXECUTE format('GRANT SELECT ON audit_tombstones TO %I', app);
  EXECUTE format('GRANT SELECT, INSERT ON changes TO %I', app);
  EXECUTE format('GRANT SELECT, INSERT ON certifications TO %I', app); -- said is said

  -- Imports. Whose one is stays as it was written; the bytes go when they have
  -- been read. The job queue's tables hold ids and times alone.
  EXECUTE format('GRANT SELECT, INSERT, UPDATE (cancelled_at, cancelled_by) ON imports TO %I', app);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE (state, status, reason, fault, source_id, code, title, revision, passages, warnings, flags, cards_affected, recommendation, started_at, finished_at, etag, last_modified) ON import_items TO %I', app);
  EXECUTE format('GRANT SELECT, INSERT, DELETE ON import_files TO %I', app);
  -- What was asked, by whom and of which version stays as it was written.
  EXECUTE format('GRANT SELECT, INSERT, DELETE, UPDATE (state, plan, findings, result, citations, gaps, error, started_at, finished_at) ON research_jobs TO %I', app);
  EXECUTE format('GRANT USAGE ON SCHEMA river TO %I', app);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA river TO %I', app);
  EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA river TO %I', app);
  EXECUTE format('GRANT polaris_retain TO %I', current_user);
  SET LOCAL ROLE polaris_retain;
  EXECUTE format('GRANT EXECUTE ON FUNCTION public.retain(timestamptz) TO %I', app);
  RESET ROLE;
  EXECUTE format('REVOKE polaris_retain FROM %I', current_user);

  -- What ends: sources that are purged, bodies that expire, brains, names. All of it
  -- goes through the functions of 00006, which remove from every table of a brain,
  -- those of later migrations, too.
  EXECUTE format('GRANT SELECT ON purges, ended_brains TO %I', app);
  EXECUTE format('GRANT UPDATE (record_answers, answer_days, verify_threshold, refused_topics, ended_at) ON brains TO %I', app); -- by a decision
  FOR t IN SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'brain_id' AND NOT a.attisdropped
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' LOOP
    EXECUTE format('GRANT SELECT, DELETE ON %I TO polaris_erase', t);
  END LOOP;
  GRANT UPDATE (remains) ON changes TO polaris_erase;
  GRANT UPDATE (title, name, url, reason, warnings, cards_affected) ON import_items TO polaris_erase;
  EXECUTE format('GRANT polaris_erase TO %I', current_user);
  SET LOCAL ROLE polaris_erase;
  EXECUTE format('GRANT EXECUTE ON FUNCTION public.purge(text, text, text), public.expire_answers(), public.end_brain(), public.forget(text) TO %I', app);
  RESET ROLE;
  EXECUTE format('REVOKE polaris_erase FROM %I', current_user);

  -- The look-ups belong to polaris_auth, so only in its name can they be granted.
  EXECUTE format('GRANT polaris_auth TO %I', current_user);
  SET LOCAL ROLE polaris_auth;
  EXECUTE format('GRANT EXECUTE ON FUNCTION public.auth_key(text), public.auth_session(bytea), public.auth_token(text, text), public.auth_grant(text) TO %I', app);
  RESET ROLE;
  EXECUTE format('REVOKE polaris_auth FROM %I', current_user);

  -- Likewise what decides.
  EXECUTE format('GRANT polaris_decide TO %I', current_user);
  SET LOCAL ROLE polaris_decide;
  EXECUTE format('GRANT EXECUTE ON FUNCTION public.decide(bytea, text, bytea, text, text), public.settle(text, text, text), public.noted(text, text) TO %I', app);
  RESET ROLE;
  EXECUTE format('REVOKE polaris_decide FROM %I', current_user);
END $$;
