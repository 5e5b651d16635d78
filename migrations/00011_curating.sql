-- +goose Up
-- Citation keys are completed as they are typed, and anchors are looked up by
-- them, among all sources of a brain.
CREATE INDEX passages_key ON passages (brain_id, lower(key) text_pattern_ops);

-- The home of a brain counts its answers by day, and what nobody could answer.
CREATE INDEX answers_by_day ON answers (brain_id, at) INCLUDE (guardrail);
CREATE INDEX answers_disclaimed ON answers (brain_id, at) WHERE guardrail = 'disclaim';

-- The queue is read newest first, and what is in it is found by name.
CREATE INDEX recommendations_newest ON recommendations (brain_id, created_at DESC, id DESC);
