-- file: message detail hint context objects notices
-- The routines of sql/plpgsql/tests/corpus/surroundings.sql that are taken, called.
create schema pc_surroundings;
set search_path = pc_surroundings, public;
create table items (id integer, name text, price numeric(10, 2), tags text[], added timestamptz);
create table orders (id bigint, item integer, amount integer, note varchar(20));
create table log_lines (at timestamptz, line text);
create type pair as (a integer, b text);
create domain small as integer check (value < 100);
create type mood as enum ('good', 'bad');
insert into items values (1, 'pen', 1.50, '{a,b}', '2020-01-01 00:00+00'), (2, 'ink', 7.25, '{}', '2020-01-02 00:00+00'), (3, null, null, null, null);
insert into orders values (10, 1, 5, 'note'), (11, 2, 1, null), (12, 1, 2, 'x');
insert into log_lines values ('2020-01-01 00:00+00', 'first'), ('2020-01-02 00:00+00', 'second');
create function statement_trigger() returns trigger language plpgsql as $$
declare
  n integer;
begin
  get diagnostics n = row_count;
  tg_op := 'x';
  return null;
end $$;
create function row_trigger() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    insert into log_lines values (now(), format('%s %s %s', tg_table_name, tg_when, old.id));
    return old;
  elsif tg_op = 'UPDATE' and new.name is distinct from old.name then
    new.name := upper(new.name);
    new.tags[1] := tg_argv[0];
  end if;
  raise notice '% % % % %', tg_name, tg_level, tg_relid, tg_nargs, tg_table_schema || tg_relname;
  return new;
end $$;
create function with_options() returns void language plpgsql as $$
#option dump
#print_strict_params on
#variable_conflict use_variable
begin
end $$;
select with_options();
create function with_other_options() returns void language plpgsql as $$
#variable_conflict error
#print_strict_params off
#variable_conflict use_column
<<main>> begin end main $$;
select with_other_options();
CREATE FUNCTION Upper_Case(A INTEGER) RETURNS INTEGER LANGUAGE PLPGSQL AS $$
DECLARE
  B INTEGER := A;
  "B" INTEGER;
BEGIN
  IF B > 0 THEN
    RETURN b;
  END IF;
  "B" := 1;
  RETURN "B" + Upper_Case.a;
END $$;
select upper_case(2);
select upper_case(0);
select upper_case(null);
create function comments() returns void language plpgsql as $$
-- before it
/* and /* nested */ too */
declare -- here
  a integer /* there */ := /* everywhere */ 1; -- ;
begin
  a := 2 -- a comment
       + 3;
  if a = 1 /* then */ then -- then
    null;
  end if;
end -- the end
$$;
select comments();
create function strings() returns text language plpgsql as $$
declare
  a text := 'it''s; then' || E'\'; loop' || $x$ end; $x$ || U&'\0061';
begin
  return a || '-- no comment' || '/* neither */' || position('x' in 'xyz');
end $$;
select strings();
create function operators(a integer) returns boolean language plpgsql as $$
begin
  return a << 2 > 3 and a >> 1 < 4 and (a # 5) % 2 <> 0 and '{1}'::integer[] @> array[a] and a operator(pg_catalog.=) 3;
end $$;
select operators(2);
select operators(0);
select operators(null);
create function unicode() returns void language plpgsql as $$
declare
  größe integer := 1;
  "naïve text" text := 'äöü';
begin
  größe := größe + length("naïve text");
end $$;
select unicode();
select long_names_are_cut();
create function new_order(warehouse integer, lines integer, out total numeric, out status text) language plpgsql as $$
declare
  item_ids integer[];
  quantities integer[] := array[]::integer[];
  prices numeric(5, 2)[];
  notes char(24)[];
  price items.price%type;
  i integer;
begin
  total := 0;
  for i in 1 .. lines loop
    item_ids[i] := 1 + floor(random() * 100)::integer;
    quantities[i] := 1 + floor(random() * 10)::integer;
    if i = lines and random() < 0.01 then
      item_ids[i] := -1;
    end if;
  end loop;
  with picked as (
    update orders as o
       set amount = amount - p.quantity
      from unnest(item_ids, quantities) as p(item, quantity)
     where o.item = p.item
    returning o.item, o.note
  )
  select array_agg(item), array_agg(note) into item_ids, notes from picked;
  for i in array_lower(item_ids, 1) .. array_upper(item_ids, 1) loop
    select it.price into strict price from items it where it.id = item_ids[i];
    prices[i] := price * quantities[i];
    total := total + prices[i];
  end loop;
  status := 'ok';
exception
  when serialization_failure or deadlock_detected or no_data_found then
    status := sqlerrm;
end $$;
create function audit(relation regclass, since timestamptz default now() - interval '1 day')
returns table (at timestamptz, line text) language plpgsql stable as $$
#variable_conflict use_column
declare
  c cursor (low timestamptz) for select l.at, l.line from log_lines l where l.at > low order by l.at;
  seen bigint := 0;
begin
  for entry in c(low := since) loop
    at := entry.at;
    line := coalesce(entry.line, '<none>');
    seen := seen + 1;
    return next;
    exit when seen >= 1000;
  end loop;
  if not found then
    raise exception 'nothing since %', since
      using errcode = 'no_data_found', hint = format('look into %s', relation);
  end if;
  return query execute format('select at, line from %s where at <= $1', relation) using since;
end $$;
create function quoted_body() returns text language plpgsql as 'begin return ''it''''s'' || E''\t''; end';
select quoted_body();
create function quoted_body_with_escapes() returns text language plpgsql as E'begin\n  return \'x\';\nend';
select quoted_body_with_escapes();
create function takes_records(a record, b pair, c items) returns record language plpgsql as $$
begin
  a.x := b.a + c.id;
  return (a, b);
end $$;
select takes_records(row(1, 'x'), row(1, 'x'), (select i from items i where id = 1));
select takes_records(row(2), row(null, null), null);
select takes_records(null, null, null);
