-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: call changes(null, null)
create function polymorphic(a anyelement) returns anyelement language plpgsql as $$
begin
  $0 := a;
  return $0;
end $$;
