-- file: message detail hint context objects notices
-- The routines of sql/plpgsql/tests/corpus/assignments.sql that are taken, called.
create schema pc_assignments;
set search_path = pc_assignments, public;
create table items (id integer, name text, price numeric(10, 2), tags text[], added timestamptz);
create table orders (id bigint, item integer, amount integer, note varchar(20));
create table log_lines (at timestamptz, line text);
create type pair as (a integer, b text);
create domain small as integer check (value < 100);
create type mood as enum ('good', 'bad');
insert into items values (1, 'pen', 1.50, '{a,b}', '2020-01-01 00:00+00'), (2, 'ink', 7.25, '{}', '2020-01-02 00:00+00'), (3, null, null, null, null);
insert into orders values (10, 1, 5, 'note'), (11, 2, 1, null), (12, 1, 2, 'x');
insert into log_lines values ('2020-01-01 00:00+00', 'first'), ('2020-01-02 00:00+00', 'second');
create function scalars() returns void language plpgsql as $$
declare
  a integer;
  b text;
begin
  a := 1;
  a = 2;
  b := 'x' || a;
  b := (select name from items where id = a limit 1);
  a := count(*) from items;
  a := distinct 3;
end $$;
select scalars();
create function elements() returns void language plpgsql as $$
declare
  a integer[];
  b items;
  i integer := 1;
begin
  a[1] := 1;
  a[i + 1] := a[i];
  a[1][2] := 3;
  a[2:3] := array[1, 2];
  a[:] := '{1}';
  b.tags[i] := 'x';
  b.tags[1:2] = array['a', 'b'];
  a [ 1 ] := 2;
end $$;
select elements();
create function fields() returns void language plpgsql as $$
<<main>>
declare
  r record;
  p pair;
  rows items[];
begin
  p.a := 1;
  p.b := 'x';
  main.p.a := 2;
  main.p := row(1, 'y');
  rows[1].name := 'n';
  rows[1].tags[2] := 't';
  r := p;
  r.a := 3;
  r.a.deeper := 4;
end $$;
select fields();
create function parameters(integer, b integer) returns integer language plpgsql as $$
begin
  $1 := 3;
  b := $1;
  parameters.b := parameters.b + 1;
  return b;
end $$;
select parameters(2, 2);
select parameters(0, 0);
select parameters(null, null);
create function nothing_assigned() returns void language plpgsql as $$
declare
  a integer;
begin
  a := ;
end $$;
select nothing_assigned();
create function quoted_names() returns void language plpgsql as $$
declare
  "user" integer;
  "Mixed Case" integer[];
begin
  "user" := 1;
  "Mixed Case"[1] := 2;
end $$;
select quoted_names();
