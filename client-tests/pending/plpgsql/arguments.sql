-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: select larger('a', 'b')
create function pack(a anyelement, n int) returns anyarray language plpgsql as $$
declare
  r alias for $0;
begin
  r := array_fill(a, array[n]);
  return r;
end $$;
