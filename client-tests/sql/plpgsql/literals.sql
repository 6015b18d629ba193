-- file: message detail hint context objects notices internal
-- What PostgreSQL finds wrong with the literals that are assigned, and where.
create schema pli;
set search_path = pli, public;
create type color as enum ('red', 'green');
create type pair as (f int, g text, h int[]);
create domain small as int check (value < 10);
create function assigns(k int) returns text language plpgsql as $$
declare
  i int; d date; c color; b boolean; n numeric(3, 1); u uuid; j jsonb; v varchar(2); a int[]; s small; p pair; r record; f float8; t timestamptz;
begin
  if k = 1 then i := 'abc'; end if;
  if k = 2 then d := '2020-13-01'; end if;
  if k = 3 then c := 'blue'; end if;
  if k = 4 then b :=   'maybe'; end if;
  if k = 5 then n := 'x'; end if;
  if k = 6 then u := 'x'; end if;
  if k = 7 then j := '{"a": }'; end if;
  if k = 8 then v := 'abc'; end if;
  if k = 9 then a := '1,2'; end if;
  if k = 10 then s := 'x'; end if;
  if k = 11 then s := '11'; end if;
  if k = 12 then p.f := 'x'; end if;
  if k = 14 then p.h[1] := 'x'; end if;
  if k = 15 then a[2] := 'x'; end if;
  if k = 16 then select 1 as f into r; r.f := 'x'; end if;
  if k = 17 then f := '1e999'; end if;
  if k = 18 then t := '2020-02-30'; end if;
  if k = 19 then i := (('abc')); end if;
  if k = 20 then i := 'abc'::text; end if;
  if k = 21 then i := case when k = 21 then 'abc' end; end if;
  if k = 22 then n := '1234'; end if;
  if k = 23 then i := '99999999999'; end if;
  if k = 24 then
    i
      :=
      'abc';
  end if;
  if k = 25 then p := row('x', 1, null); end if;
  if k = 26 then i := 'é' || 'x'; end if;
  if k = 27 then select 'x' into i; end if;
  if k = 28 then execute 'select ''x''' into i; end if;
  if k = 29 then b := 'é'; end if;
  return concat_ws('|', i, d, c, b, n);
end $$;
select assigns(1);
select assigns(2);
select assigns(3);
select assigns(4);
select assigns(5);
select assigns(6);
select assigns(7);
select assigns(8);
select assigns(9);
select assigns(10);
select assigns(11);
select assigns(12);
select assigns(14);
select assigns(15);
select assigns(16);
select assigns(17);
select assigns(18);
select assigns(19);
select assigns(20);
select assigns(21);
select assigns(22);
select assigns(23);
select assigns(24);
select assigns(25);
select assigns(26);
select assigns(27);
select assigns(28);
select assigns(29);
create function declared_wrong() returns int language plpgsql as $$ declare i int := 'abc'; begin return i; end $$;
select declared_wrong();
create function returned_wrong() returns int language plpgsql as $$ begin return 'abc'; end $$;
select returned_wrong();
create function condition_wrong() returns int language plpgsql as $$ begin if 'abc' then return 1; end if; return 2; end $$;
select condition_wrong();
create function range_wrong() returns int language plpgsql as $$ begin for i in 1 .. 'x' loop null; end loop; return 2; end $$;
select range_wrong();
create function next_wrong() returns setof int language plpgsql as $$ begin return next 'abc'; end $$;
select next_wrong();
create function argument_wrong() returns int language plpgsql as $$ declare c cursor (a int) for select a; begin open c('abc'); return 1; end $$;
select argument_wrong();
create function array_wrong() returns int language plpgsql as $$ declare x int; begin foreach x in array 'abc' loop null; end loop; return 1; end $$;
select array_wrong();
create function caught_wrong() returns text language plpgsql as $$
declare
  i int;
  c text;
begin
  i := 'abc';
  return i;
exception when invalid_text_representation then
  get stacked diagnostics c = pg_exception_context;
  return sqlerrm || c;
end $$;
select caught_wrong();
