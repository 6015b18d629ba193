-- file: message detail hint context objects notices
-- What rows of statements are in the variables that get them: forms of numerics, lengths of texts, domains, NULL, records and lists.
create schema iv;
set search_path = iv, public;
create domain small as int check (value < 100);
create type mood as enum ('sad', 'fine');
create table t (
  id int primary key, n numeric, n42 numeric(4,2), n30 numeric(30,10), s smallint, b bigint, r real, d double precision, v varchar(5), c char(4), x text, f boolean,
  day date, at timestamp, tz timestamptz, tm time, iv interval, u uuid, y bytea, a int[], na numeric[], m mood, sm small, j jsonb
);
insert into t values
  (1, 1.500, 1.5, 12345678901234567890.0123456789, 7, 9000000000, 1.5, 2.25, 'abc', 'ab', 'a rather long text that is not held inline', true,
   '2026-01-02', '2026-01-02 03:04:05.678', '2026-01-02 03:04:05+02', '03:04:05', '1 mon 2 days', '01234567-89ab-cdef-0123-456789abcdef', '\x0102', '{1,2,3}', '{1.10,2}', 'fine', 5, '{"k": [1, 2]}'),
  (2, 1e30, -0.05, 0, -7, -1, 'NaN', '-Infinity', '', '', '', false, '-infinity', 'infinity', null, '24:00', '-1 day', null, '', '{}', '{null}', 'sad', 99, 'null'),
  (3, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null),
  (4, 'NaN', 99.99, 0.0000000001, 0, 0, 0, 0, 'äöüßé', 'é', repeat('ü', 40), true, '0001-01-01 BC', '1999-12-31', now(), '00:00', '0', null, '\xff', '{{1,2},{3,4}}', '{}', null, null, '{}');
set time zone 'UTC';
do $$
declare
  l t%rowtype; r record; n numeric; n42 numeric; n30 numeric; s smallint; b bigint; f real; d double precision; v varchar; c char(4); x text; y boolean; day date; at timestamp; tz timestamptz; tm time; i interval; u uuid; bytes bytea; a int[]; na numeric[]; m mood; sm small; j jsonb;
begin
  for k in 1 .. 5 loop
    select * into l from t where id = k;
    if k <> 4 then raise notice '% %', found, l; end if;
    select * into r from t where id = k;
    if k <> 4 then raise notice '% %', found, r; end if;
    raise notice '% %', r.n is distinct from l.n, r.x = l.x;
    select t.n, t.n42, t.n30, t.s, t.b, t.r, t.d, t.v, t.c, t.x into n, n42, n30, s, b, f, d, v, c, x from t where id = k;
    raise notice '% % % % % % % [%] [%] [%] %', n, n42, n30, s, b, f, d, v, c, x, length(x);
    select t.f, t.day, t.at, t.tz, t.tm, t.iv, t.u, t.y, t.a, t.na, t.m, t.sm, t.j into y, day, at, tz, tm, i, u, bytes, a, na, m, sm, j from t where id = k;
    if k <> 4 then raise notice '% % % % % % % % % % % % %', y, day, at, tz, tm, i, u, bytes, a, na, m, sm, j; end if;
    select t.n42, t.n42, t.n42 into n, x, d from t where id = k;
    raise notice '% % %', n, x, d;
  end loop;
end $$;
do $$
declare n52 numeric(5,2); n numeric(3,1); v3 varchar(3); c2 char(2); c6 char(6); x text; v varchar; i int; s smallint;
begin
  select n30, t.v, c into n52, x, v from t where id = 4;
  raise notice '% [%] [%]', n52, x, v;
  select c, c, t.v into x, c6, c6 from t where id = 1;
  raise notice '[%] [%]', x, c6;
  select n42, n42 into i, n from t where id = 4;
  raise notice '% %', i, n;
end $$;
do $$ declare v3 varchar(3); begin select v into v3 from t where id = 4; raise notice '%', v3; end $$;
do $$ declare v3 varchar(3); begin select v into v3 from t where id = 1; raise notice '%', v3; end $$;
do $$ declare c2 char(2); begin select x into c2 from t where id = 1; raise notice '%', c2; end $$;
do $$ declare n numeric(3,2); begin select n42 into n from t where id = 4; raise notice '%', n; end $$;
do $$ declare s smallint; begin select b into s from t where id = 1; raise notice '%', s; end $$;
do $$ declare s small; begin select id * 50 into s from t where id = 1; raise notice '%', s; select id * 50 into s from t where id = 2; raise notice '%', s; end $$;
do $$ declare i int not null := 1; begin select id into i from t where id = 2; raise notice '%', i; select s into i from t where id = 3; end $$;
do $$ declare i int not null := 1; begin select id into i from t where id = 7; end $$;
do $$ declare i int; j int; begin select id, s, b into i, j from t where id = 1; raise notice '% %', i, j; select id into i, j from t where id = 2; raise notice '% %', i, j; end $$;
do $$ declare r record; begin select id, n42 into r from t where id = 1; raise notice '%', r; select x, v into r from t where id = 1; raise notice '%', r; select id, n42 into r from t where id = 3; raise notice '% %', r, r.n42; end $$;
do $$ declare r record; q record; begin for k in 1 .. 3 loop select id, x into r from t where id = k; select id, v into q from t where id = 4 - k; raise notice '% % %', r, q.v, r.id + q.id; end loop; end $$;
-- Strings that are a part of what they replace.
do $$ declare x text := repeat('ab', 40); begin for k in 1 .. 5 loop select substr(x, 2) || k into x; end loop; raise notice '%', x; select substr(x, 70), x into x; raise notice '%', x; end $$;
do $$ declare n numeric := 1; begin for k in 1 .. 8 loop select n / 3 * 1000000007 into n; end loop; raise notice '%', n; select n * 1e40 into n; raise notice '%', n; end $$;
-- Loops.
do $$ declare l t%rowtype; begin for l in select * from t where id < 4 order by id loop raise notice '%', l; end loop; end $$;
do $$ declare r record; begin for r in select id, n, n42, c, x from t order by id loop raise notice '% % % [%] %', r.id, r.n, r.n42, r.c, r.x; end loop; end $$;
do $$ declare i int; n numeric; begin for i, n in select id, n42 from t order by id loop raise notice '% %', i, n; end loop; end $$;
do $$ declare i smallint; n numeric(10,3); begin for i, n in select id, n42 from t order by id loop raise notice '% %', i, n; end loop; end $$;
do $$ declare x text; total bigint := 0; begin for x in select repeat('z', g % 50) || g from generate_series(1, 1000) g loop total := total + length(x); end loop; raise notice '%', total; end $$;
do $$ declare r record; s bigint := 0; begin for r in select g, g * 0.5 as h from generate_series(1, 1000) g loop continue when r.g % 2 = 0; s := s + r.h; exit when r.g > 900; end loop; raise notice '% %', s, r; end $$;
do $$ declare r record; q record; s bigint := 0; begin for r in select g from generate_series(1, 30) g loop for q in select h, r.g as g from generate_series(1, r.g) h loop s := s + q.h * q.g; end loop; end loop; raise notice '%', s; end $$;
-- Calls in one another, whose records get another shape.
create function shapes(k int) returns text language plpgsql as $$
declare r record; inner_text text := '';
begin
  if k % 2 = 0 then select k as a, 'even'::text as b into r; else select 'odd'::text as a, k * 1.5 as c, null::date as e into r; end if;
  if k > 0 then inner_text := shapes(k - 1); end if;
  return r::text || inner_text;
end $$;
select shapes(6);
select shapes(3), shapes(4);
create function walk(k int) returns numeric language plpgsql as $$
declare r record; s numeric := 0;
begin
  for r in select g, g * 0.25 as q from generate_series(1, k) g order by g loop
    s := s + r.q + case when k > 1 then walk(k - 1) else 0 end;
  end loop;
  return s;
end $$;
select walk(5);
-- RETURNING.
do $$ declare r record; n numeric; x text; begin
  update t set n42 = n42 + 1 where id = 1 returning n42, t.x into n, x; raise notice '% %', n, x;
  update t set x = 'new ' || t.x where id = 1 returning id, t.x, t.n into r; raise notice '%', r;
  insert into t (id, n42, v) values (10, 1.005, 'w') returning n42, v into n, x; raise notice '% %', n, x;
  delete from t where id = 10 returning * into r; raise notice '% %', r.id, r.n42;
  delete from t where id = 10 returning * into r; raise notice '% %', found, r.id;
  update t set s = 1 where id > 1 returning id into n; end $$;
create table u (a varchar(20), b numeric(10,4), c int);
insert into u select 'name ' || g, g / 7.0, g from generate_series(1, 5) g;
create function of_u(k int, out a varchar, out b numeric, out c int) language plpgsql as $$ begin select u.a, u.b, u.c into a, b, c from u where u.c = k; end $$;
select of_u(3), (of_u(4)).*;
select k, (of_u(k)).b * 7 from generate_series(1, 6) k;
alter table u alter column b type numeric(12,2);
select of_u(3), of_u(5);
alter table u alter column a type text;
select of_u(2);
alter table u alter column c type bigint;
select of_u(2);
drop schema iv cascade;
