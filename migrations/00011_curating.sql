-- +goose Up
-- Citation keys are looked up, and completed, among all sources of a brain. As
-- they are: under row security no index serves a function that could leak, as
-- lower could.
CREATE INDEX passages_key ON passages (brain_id, key text_pattern_ops);

-- The home of a brain counts its answers by day, and what nobody could answer.
CREATE INDEX answers_by_day ON answers (brain_id, at) INCLUDE (guardrail);
CREATE INDEX answers_disclaimed ON answers (brain_id, at) WHERE guardrail = 'disclaim';

-- The queue is read newest first, and what is in it is found by name.
CREATE INDEX recommendations_newest ON recommendations (brain_id, created_at DESC, id DESC);

-- The queue is read by age, and from one change to the next.
CREATE INDEX recommendations_by_age ON recommendations (brain_id, state, created_at, id);
