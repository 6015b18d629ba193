-- Cursors.

create function declared() returns void language plpgsql as $$
declare
  a cursor for select * from items;
  b cursor is select 1;
  c no scroll cursor for select 2;
  d scroll cursor (x integer) for select x;
  e cursor (x integer, y text, z items.price%type) for
    select * from items where id = x and name = y and price > z for update;
  f refcursor;
  g refcursor := 'named';
  h cursor for insert into items (id) values (1) returning id;
begin
  null;
end $$;

create function opened(n integer) returns void language plpgsql as $$
declare
  a cursor for select * from items where id = n;
  b cursor (x integer, y text) for select x, y;
  c refcursor;
begin
  open a;
  open b(1, 'x');
  open b(y := 'x', x := 1 + 2);
  open b(n, y := (select 'x, y'));
  open c for select * from items where id = n;
  open c scroll for select 1;
  open c no scroll for select 1;
  open c for execute 'select 1';
  open c for execute 'select $1, $2' using n, n + 1;
  open c scroll for execute 'select 1';
  open c no for select 1;
  close a;
  close c;
end $$;

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

create function words_are_variables(next refcursor, first integer) returns void language plpgsql as $$
begin
  move absolute first from next;
  close next;
end $$;

create function cursor_arguments_see_each_other() returns void language plpgsql as $$
declare
  n integer := 5;
  c cursor (n integer) for select n, c.n;
begin
  open c(n);
end $$;

-- fails
create function no_arguments_wanted() returns void language plpgsql as $$
declare
  c cursor for select 1;
begin
  open c(1);
end $$;

-- fails
create function arguments_wanted() returns void language plpgsql as $$
declare
  c cursor (a integer) for select a;
begin
  open c;
end $$;

-- fails
create function too_few() returns void language plpgsql as $$
declare
  c cursor (a integer, b integer) for select a;
begin
  open c(1);
end $$;

-- fails
create function too_many() returns void language plpgsql as $$
declare
  c cursor (a integer) for select a;
begin
  open c(1, 2);
end $$;

-- fails
create function none_given() returns void language plpgsql as $$
declare
  c cursor (a integer) for select a;
begin
  open c();
end $$;

-- fails
create function unknown_argument() returns void language plpgsql as $$
declare
  c cursor (a integer) for select a;
begin
  open c(b := 1);
end $$;

-- fails
create function argument_twice() returns void language plpgsql as $$
declare
  c cursor (a integer, b integer) for select a;
begin
  open c(b := 1, b := 2);
end $$;

-- fails
create function argument_by_place_and_name() returns void language plpgsql as $$
declare
  c cursor (a integer, b integer) for select a;
begin
  open c(1, a := 2);
end $$;

-- fails
create function argument_with_error() returns void language plpgsql as $$
declare
  c cursor (a integer, b integer) for select a;
begin
  open c(1, 2 3);
end $$;

-- fails
create function arguments_not_closed() returns void language plpgsql as $$
declare
  c cursor (a integer) for select a;
begin
  open c(1;
end $$;

-- fails
create function argument_declared_twice() returns void language plpgsql as $$
declare
  c cursor (a integer, a text) for select a;
begin
end $$;

-- fails
create function argument_without_type() returns void language plpgsql as $$
declare
  c cursor (a) for select a;
begin
end $$;

-- fails
create function query_missing() returns void language plpgsql as $$
declare
  c cursor for;
begin
end $$;

-- fails
create function query_with_error() returns void language plpgsql as $$
declare
  c cursor for select from from items;
begin
end $$;

-- fails
create function for_missing() returns void language plpgsql as $$
declare
  c cursor select 1;
begin
end $$;

-- fails
create function scroll_without_cursor() returns void language plpgsql as $$
declare
  c scroll for select 1;
begin
end $$;

-- fails
create function open_without_for() returns void language plpgsql as $$
declare
  c refcursor;
begin
  open c;
end $$;

-- fails
create function open_of_query_without_for() returns void language plpgsql as $$
declare
  c refcursor;
begin
  open c select 1;
end $$;

-- fails
create function bound_cursor_for_query() returns void language plpgsql as $$
declare
  c cursor for select 1;
begin
  open c for select 2;
end $$;

-- fails
create function no_cursor() returns void language plpgsql as $$
declare
  c integer;
begin
  open c for select 1;
end $$;

-- fails
create function unknown_cursor() returns void language plpgsql as $$
begin
  open c for select 1;
end $$;

-- fails
create function cursor_in_record() returns void language plpgsql as $$
declare
  r record;
begin
  close r.c;
end $$;

-- fails
create function cursor_in_array() returns void language plpgsql as $$
declare
  c refcursor[];
begin
  close c[1];
end $$;

-- fails
create function element_of_cursor() returns void language plpgsql as $$
declare
  c refcursor;
begin
  close c[1];
end $$;

-- fails
create function many_rows() returns void language plpgsql as $$
declare
  c refcursor;
  r record;
begin
  fetch 2 from c into r;
end $$;

-- fails
create function all_rows() returns void language plpgsql as $$
declare
  c refcursor;
  r record;
begin
  fetch forward all from c into r;
end $$;

-- fails
create function fetch_without_into() returns void language plpgsql as $$
declare
  c refcursor;
begin
  fetch c;
end $$;

-- fails
create function fetch_into_nothing() returns void language plpgsql as $$
declare
  c refcursor;
begin
  fetch c into;
end $$;

-- fails
create function fetch_into_unknown() returns void language plpgsql as $$
declare
  c refcursor;
begin
  fetch c into a;
end $$;

-- fails
create function fetch_strict() returns void language plpgsql as $$
declare
  c refcursor;
  r record;
begin
  fetch c into strict r;
end $$;

-- fails
create function direction_without_from() returns void language plpgsql as $$
declare
  c refcursor;
  r record;
begin
  fetch last c into r;
end $$;

-- fails
create function count_is_variable() returns void language plpgsql as $$
declare
  c refcursor;
  n integer;
begin
  move n from c;
end $$;

-- fails
create function count_missing() returns void language plpgsql as $$
declare
  c refcursor;
begin
  move absolute from c;
end $$;

-- fails
create function move_into() returns void language plpgsql as $$
declare
  c refcursor;
  r record;
begin
  move c into r;
end $$;

-- fails
create function move_at_end() returns void language plpgsql as $$
declare
  c refcursor;
begin
  move$$;

-- fails
create function cursor_is_no_record_constant() returns void language plpgsql as $$
declare
  c cursor for select 1;
  r constant integer := 2;
begin
  fetch c into r;
end $$;
