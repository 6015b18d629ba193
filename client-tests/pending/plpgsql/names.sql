-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: create function field_beats_nothing() returns text language plpgsql as $$
select field_beats_nothing();
