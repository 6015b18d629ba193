-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: select query_fails_at_open()
create function gives(name refcursor, k int) returns refcursor language plpgsql as $$
begin
  open name for select id, v from t where id > k order by id;
  return name;
end $$;

-- behind: fetch all from gone
create function gives_set(k int) returns setof refcursor language plpgsql as $$
declare
  a refcursor := 'first_cursor';
  b refcursor := 'second_cursor';
begin
  open a for select id from t where id <= k order by id;
  return next a;
  open b for select v from t where id <= k order by id desc;
  return next b;
end $$;

-- behind: commit
create function bound_with_name() returns refcursor language plpgsql as $$
declare
  named cursor for select id from t where id > 8 order by id;
begin
  open named;
  return named;
end $$;

-- behind: declare outside cursor for select id from t order by id
create function reads_outside(c refcursor) returns text language plpgsql as $$
declare
  i int;
  s text := '';
begin
  fetch c into i; s := s || i;
  move forward 2 from c;
  fetch c into i; s := s || ' ' || i;
  return s;
end $$;

-- behind: create function loop_closed_within() returns text language plpgsql as $$
select loop_closed_within();
