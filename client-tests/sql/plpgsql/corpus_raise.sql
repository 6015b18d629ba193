-- file: message detail hint context objects notices
-- The routines of sql/plpgsql/tests/corpus/raise.sql that are taken, called.
create schema pc_raise;
set search_path = pc_raise, public;
create table items (id integer, name text, price numeric(10, 2), tags text[], added timestamptz);
create table orders (id bigint, item integer, amount integer, note varchar(20));
create table log_lines (at timestamptz, line text);
create type pair as (a integer, b text);
create domain small as integer check (value < 100);
create type mood as enum ('good', 'bad');
insert into items values (1, 'pen', 1.50, '{a,b}', '2020-01-01 00:00+00'), (2, 'ink', 7.25, '{}', '2020-01-02 00:00+00'), (3, null, null, null, null);
insert into orders values (10, 1, 5, 'note'), (11, 2, 1, null), (12, 1, 2, 'x');
insert into log_lines values ('2020-01-01 00:00+00', 'first'), ('2020-01-02 00:00+00', 'second');
create function levels(a integer) returns void language plpgsql as $$
begin
  raise debug 'a';
  raise log 'a';
  raise info 'a %', a;
  raise notice 'a % of %', a, a + 1;
  raise warning '100 %%: %', (select max(id) from items);
  raise exception 'a';
  raise 'a';
end $$;
select levels(2);
select levels(0);
select levels(null);
create function formats() returns void language plpgsql as $$
begin
  raise notice E'tab\t%', 1;
  raise notice $x$dollar %$x$, 2;
  raise notice 'it''s %%%', 3;
  raise notice 'two '
    'parts %', 4;
  raise notice '';
end $$;
select formats();
create function conditions() returns void language plpgsql as $$
begin
  raise division_by_zero;
  raise exception unique_violation;
  raise notice no_data_found;
  raise sqlstate '22012';
  raise warning sqlstate 'U0001' using message = 'mine';
  raise "division_by_zero";
end $$;
select conditions();
create function options(a text) returns void language plpgsql as $$
begin
  raise 'a' using detail = 'b', hint = 'c', errcode = 'unique_violation';
  raise 'a %', a using column = 'c', constraint := 'd', datatype = 'e', table = 'f', schema = 'g';
  raise exception using message = 'x' || a, errcode = '22012';
  raise unique_violation using message = a;
  raise using message = a;
end $$;
select options('a');
select options('1');
select options(null);
create function again() returns void language plpgsql as $$
begin
  null;
exception
  when others then
    raise;
end $$;
select again();
create function words_are_variables(message text, notice text, hint text) returns void language plpgsql as $$
begin
  raise notice '%', notice using hint = hint;
  raise exception using message = message;
end $$;
select words_are_variables('a', 'a', 'a');
select words_are_variables('1', '1', '1');
select words_are_variables(null, null, null);
create function asserts(a integer) returns void language plpgsql as $$
begin
  assert a > 0;
  assert a > 0, 'not positive: ' || a;
  assert exists (select from items), format('%s', a);
end $$;
select asserts(2);
select asserts(0);
select asserts(null);
