-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: select opened(null)
create function fetched(c refcursor) returns void language plpgsql as $$
declare
  a integer;
  b text;
  r record;
  p pair;
begin
  fetch c into a;
  fetch c into a, b;
  fetch c into r;
  fetch from c into p;
  fetch in c into p.a, p.b;
  fetch next from c into r;
  fetch prior from c into r;
  fetch first from c into r;
  fetch last from c into r;
  fetch absolute 3 from c into r;
  fetch absolute -a from c into r;
  fetch relative (a + 1) in c into r;
  fetch forward from c into r;
  fetch backward from c into r;
  move c;
  move next in c;
  move forward 3 from c;
  move forward all from c;
  move backward a + 1 in c;
  move backward all in c;
  move all from c;
  move 5 from c;
  move absolute a from c;
  move last from c;
end $$;

-- behind: select fetched(null)
create function words_are_variables(next refcursor, first integer) returns void language plpgsql as $$
begin
  move absolute first from next;
  close next;
end $$;
