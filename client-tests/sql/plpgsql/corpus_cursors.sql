-- file: message detail hint context objects notices
-- The routines of sql/plpgsql/tests/corpus/cursors.sql that are taken, called.
create schema pc_cursors;
set search_path = pc_cursors, public;
create table items (id integer, name text, price numeric(10, 2), tags text[], added timestamptz);
create table orders (id bigint, item integer, amount integer, note varchar(20));
create table log_lines (at timestamptz, line text);
create type pair as (a integer, b text);
create domain small as integer check (value < 100);
create type mood as enum ('good', 'bad');
insert into items values (1, 'pen', 1.50, '{a,b}', '2020-01-01 00:00+00'), (2, 'ink', 7.25, '{}', '2020-01-02 00:00+00'), (3, null, null, null, null);
insert into orders values (10, 1, 5, 'note'), (11, 2, 1, null), (12, 1, 2, 'x');
insert into log_lines values ('2020-01-01 00:00+00', 'first'), ('2020-01-02 00:00+00', 'second');
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
select declared();
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
select opened(2);
select opened(0);
select opened(null);
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
select fetched('cur');
select fetched('cur2');
select fetched(null);
create function words_are_variables(next refcursor, first integer) returns void language plpgsql as $$
begin
  move absolute first from next;
  close next;
end $$;
select words_are_variables('cur', 2);
select words_are_variables('cur2', 0);
select words_are_variables(null, null);
create function cursor_arguments_see_each_other() returns void language plpgsql as $$
declare
  n integer := 5;
  c cursor (n integer) for select n, c.n;
begin
  open c(n);
end $$;
select cursor_arguments_see_each_other();
