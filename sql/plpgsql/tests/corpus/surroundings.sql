-- Triggers, options, lexical matters, and routines as people write them.

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

create function statement_trigger() returns trigger language plpgsql as $$
declare
  n integer;
begin
  get diagnostics n = row_count;
  tg_op := 'x';
  return null;
end $$;

create function event() returns event_trigger language plpgsql as $$
begin
  raise notice '% %', tg_event, tg_tag;
  return;
end $$;

create function with_options() returns void language plpgsql as $$
#option dump
#print_strict_params on
#variable_conflict use_variable
begin
end $$;

create function with_other_options() returns void language plpgsql as $$
#variable_conflict error
#print_strict_params off
#variable_conflict use_column
<<main>> begin end main $$;

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

create function strings() returns text language plpgsql as $$
declare
  a text := 'it''s; then' || E'\'; loop' || $x$ end; $x$ || U&'\0061';
begin
  return a || '-- no comment' || '/* neither */' || position('x' in 'xyz');
end $$;

create function operators(a integer) returns boolean language plpgsql as $$
begin
  return a << 2 > 3 and a >> 1 < 4 and (a # 5) % 2 <> 0 and '{1}'::integer[] @> array[a] and a operator(pg_catalog.=) 3;
end $$;

create function unicode() returns void language plpgsql as $$
declare
  größe integer := 1;
  "naïve text" text := 'äöü';
begin
  größe := größe + length("naïve text");
end $$;

create function long_names_are_cut() returns void language plpgsql as $$
declare
  a_name_that_is_longer_than_sixty_three_bytes_and_therefore_is_cut_short integer;
begin
  a_name_that_is_longer_than_sixty_three_bytes_and_therefore_is_cut_shorter := 1;
end $$;

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

-- fails
create function trigger_with_parameters(a integer) returns trigger language plpgsql as $$
begin
  return new;
end $$;

-- fails
create function new_outside_of_trigger() returns void language plpgsql as $$
begin
  new.name := 'x';
end $$;

-- fails
create function value_of_event_trigger() returns event_trigger language plpgsql as $$
begin
  return 1;
end $$;

-- fails
create function unknown_option() returns void language plpgsql as $$
#optimise everything
begin
end $$;

-- fails
create function unknown_conflict() returns void language plpgsql as $$
#variable_conflict use_both
begin
end $$;

-- fails
create function unknown_print() returns void language plpgsql as $$
#print_strict_params maybe
begin
end $$;

-- fails
create function option_inside() returns void language plpgsql as $$
begin
  #option dump
end $$;

-- fails
create function string_not_closed() returns void language plpgsql as $$
declare
  a text;
begin
  a := 'open;
end $$;

-- fails
create function comment_not_closed() returns void language plpgsql as $$
begin
  null; /* open
end $$;

-- fails
create function name_not_closed() returns void language plpgsql as $$
begin
  "open := 1;
end $$;

-- fails
create function syntax_error_before_string() returns void language plpgsql as $$
begin
  if then 'open;
end $$;

-- fails
create function bad_escape() returns void language plpgsql as $$
declare
  a text := E'\u00zz';
begin
end $$;

-- fails
create function number_with_junk() returns void language plpgsql as $$
begin
  perform 12ab;
end $$;

-- fails
create function empty_name() returns void language plpgsql as $$
declare
  "" integer;
begin
end $$;

-- fails
create function error_behind_unicode() returns void language plpgsql as $$
declare
  größe text := 'äöü';
begin
  größe := größe || 'ß' 'x' öl;
end $$;

-- fails
create function brace() returns void language plpgsql as $$
begin {
  null;
} end $$;

-- fails
create function number_first() returns void language plpgsql as $$
begin
  1 := 2;
end $$;

-- fails
create function unicode_name() returns void language plpgsql as $$
begin
  u&"x" := 1;
end $$;

create function quoted_body() returns text language plpgsql as 'begin return ''it''''s'' || E''\t''; end';

create function quoted_body_with_escapes() returns text language plpgsql as E'begin\n  return \'x\';\nend';

-- fails
create function error_in_quoted_body() returns text language plpgsql as '
begin
  return ''a'' ''b'';
end';

-- fails
create function error_in_escaped_body() returns text language plpgsql as E'begin return \'a\' \'b\'; end';

-- fails
create function error_in_body_that_is_not_found() returns text language plpgsql as E'begin return\n \'a\' \'b\'; end';

-- fails
create function body_twice(a text default 'begin x; end') returns void language plpgsql as 'begin x; end';

create function takes_records(a record, b pair, c items) returns record language plpgsql as $$
begin
  a.x := b.a + c.id;
  return (a, b);
end $$;

-- fails
create function takes_pseudo_type(a integer, b cstring) returns void language plpgsql as $$ begin nothing; end $$;

-- fails
create function returns_pseudo_type(a cstring) returns cstring language plpgsql as $$ begin nothing; end $$;

-- fails
create function puts_out_pseudo_type(out a cstring) language plpgsql as $$ begin nothing; end $$;
