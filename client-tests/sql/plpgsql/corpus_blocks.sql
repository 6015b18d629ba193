-- file: message detail hint context objects notices
-- The routines of sql/plpgsql/tests/corpus/blocks.sql that are taken, called.
create schema pc_blocks;
set search_path = pc_blocks, public;
create table items (id integer, name text, price numeric(10, 2), tags text[], added timestamptz);
create table orders (id bigint, item integer, amount integer, note varchar(20));
create table log_lines (at timestamptz, line text);
create type pair as (a integer, b text);
create domain small as integer check (value < 100);
create type mood as enum ('good', 'bad');
insert into items values (1, 'pen', 1.50, '{a,b}', '2020-01-01 00:00+00'), (2, 'ink', 7.25, '{}', '2020-01-02 00:00+00'), (3, null, null, null, null);
insert into orders values (10, 1, 5, 'note'), (11, 2, 1, null), (12, 1, 2, 'x');
insert into log_lines values ('2020-01-01 00:00+00', 'first'), ('2020-01-02 00:00+00', 'second');
create function empty_block() returns void language plpgsql as $$ begin end $$;
select empty_block();
create function empty_block_with_semicolon() returns void language plpgsql as $$
begin
end;
$$;
select empty_block_with_semicolon();
create function nothing_done() returns void language plpgsql as $$
begin
  null;
  null;
end $$;
select nothing_done();
create function labelled() returns void language plpgsql as $$
<<outermost>>
declare
  a integer := 1;
begin
  declare
    a text := 'inner';
  begin
    outermost.a := outermost.a + 1;
    a := a || outermost.a;
    <<deepest>>
    begin
      outermost.a := length(a);
    end deepest;
  end;
end outermost;
$$;
select labelled();
create function routine_is_a_label(a integer) returns integer language plpgsql as $$
declare
  a integer := 2;
begin
  routine_is_a_label.a := a + routine_is_a_label.a;
  return routine_is_a_label.a;
end $$;
select routine_is_a_label(2);
select routine_is_a_label(0);
select routine_is_a_label(null);
create function declares_twice() returns void language plpgsql as $$
declare
  a integer;
declare
  b integer;
  declare c text;
begin
  a := b;
end $$;
select declares_twice();
create function declares_nothing() returns void language plpgsql as $$ declare begin end $$;
select declares_nothing();
create function words_as_labels() returns void language plpgsql as $$
<<alias>>
declare
  no integer;
begin
  <<no>>
  loop
    exit no;
  end loop no;
  alias.no := 3;
end alias $$;
select words_as_labels();
create function quoted_labels() returns void language plpgsql as $$
<<"Main Block">>
declare "A" integer;
begin
  "Main Block"."A" := 1;
end "Main Block" $$;
select quoted_labels();
