-- file: message detail hint context objects notices
-- The routines of sql/plpgsql/tests/corpus/declarations.sql that are taken, called.
create schema pc_declarations;
set search_path = pc_declarations, public;
create table items (id integer, name text, price numeric(10, 2), tags text[], added timestamptz);
create table orders (id bigint, item integer, amount integer, note varchar(20));
create table log_lines (at timestamptz, line text);
create type pair as (a integer, b text);
create domain small as integer check (value < 100);
create type mood as enum ('good', 'bad');
insert into items values (1, 'pen', 1.50, '{a,b}', '2020-01-01 00:00+00'), (2, 'ink', 7.25, '{}', '2020-01-02 00:00+00'), (3, null, null, null, null);
insert into orders values (10, 1, 5, 'note'), (11, 2, 1, null), (12, 1, 2, 'x');
insert into log_lines values ('2020-01-01 00:00+00', 'first'), ('2020-01-02 00:00+00', 'second');
create function all_forms() returns void language plpgsql as $$
declare
  a integer;
  b integer := 1;
  c integer = 2;
  d integer default 3;
  e constant integer := 4;
  f integer not null := 5;
  g constant text collate "C" not null default 'x' || 'y';
  h numeric(10, 2) := 1.5;
  i character varying(20);
  j timestamp (3) with time zone;
  k integer[];
  l integer[][] := array[[1, 2], [3, 4]];
  m text array;
  n double precision;
  o "char";
  p pg_catalog.int4;
  q pc_declarations.pair;
begin
  a := b + c + d + e + f;
end $$;
select all_forms();
create function records() returns void language plpgsql as $$
declare
  any_row record;
  item items;
  item_too items%rowtype;
  item_three pc_declarations.items%rowtype;
  one pair := row(1, 'x');
  many items[];
  fixed constant record := row(1, 2);
begin
  any_row := row(1, 2);
  item.name := 'n';
end $$;
select records();
create function types_of_others(amount items.price%type) returns void language plpgsql as $$
declare
  a items.id%type;
  b pc_declarations.items.tags%type;
  c a%type := 3;
  d c%type;
  e amount%type;
  f types_of_others.amount%type;
begin
  a := d;
end $$;
select types_of_others(2.5);
select types_of_others(0);
select types_of_others(null);
create function type_of_labelled_variable() returns void language plpgsql as $$
<<here>>
declare
  a integer;
begin
  declare
    b here.a%type;
  begin
    b := 1;
  end;
end $$;
select type_of_labelled_variable();
create function domains_and_enums() returns void language plpgsql as $$
declare
  a small := 3;
  b mood := 'good';
begin
  a := a + 1;
end $$;
select domains_and_enums();
create function keywords_as_names() returns void language plpgsql as $$
declare
  alias integer;
  constant integer := 1;
  cursor integer;
  no integer;
  scroll integer;
  type text;
  rowtype text;
  error integer;
  query text;
  next integer;
  slice integer;
  return integer;
  raise integer;
  insert integer;
begin
  alias := constant;
  return := 1;
  insert := raise;
end $$;
select keywords_as_names();
create function defaults_read_earlier_ones(n integer) returns integer language plpgsql as $$
declare
  a integer := n * 2;
  b integer := a + (select count(*) from items where id = a);
  c text := case when a > b then 'more' else 'less; or equal' end;
begin
  return a + b;
end $$;
select defaults_read_earlier_ones(2);
select defaults_read_earlier_ones(0);
select defaults_read_earlier_ones(null);
create function aliases(integer, b text) returns text language plpgsql as $$
declare
  first alias for $1;
  second alias for $2;
  third alias for b;
  fourth alias for aliases.b;
  fifth alias for first;
begin
  return first || second || third || fourth || fifth;
end $$;
select aliases(2, 'a');
select aliases(0, '1');
select aliases(null, null);
create function found_can_be_hidden() returns void language plpgsql as $$
declare
  found text;
begin
  found := 'text';
end $$;
select found_can_be_hidden();
