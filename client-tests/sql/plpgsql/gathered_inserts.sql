-- file: message detail hint context objects notices
-- INSERTs in loops of routines, whose rows are put into their tables together: kinds of loops, blocks that are undone, calls, transactions,
-- tables, types. Errors are in gathered_errors.sql, who sees the rows in gathered_visibility.sql.
create schema pgi;
set search_path = pgi, public;
create table t (k int primary key, v text unique, n int default 7);
create table plain (a int, b text);
create view shown as select count(*) as rows, count(distinct v) as texts, sum(k) as k, sum(n) as n, md5(string_agg(k || coalesce(v, 'null'), ',' order by k)) as all from t;
-- Kinds of loops, and how they are left.
create function loops(kind text, k0 int, rounds int) returns text language plpgsql as $$
declare
  i int := k0;
  r record;
  e int;
  c cursor (low int) for select g from generate_series(low, low + rounds - 1) g;
  c2 refcursor;
begin
  case kind
    when 'for' then for j in k0 .. k0 + rounds - 1 loop insert into t values (j, kind || j, j); end loop;
    when 'reverse' then for j in reverse k0 + rounds - 1 .. k0 loop insert into t values (j, kind || j, j); end loop;
    when 'by' then for j in k0 .. k0 + rounds * 3 - 1 by 3 loop insert into t values (j, kind || j, j); end loop;
    when 'while' then while i < k0 + rounds loop insert into t values (i, kind || i); i := i + 1; end loop;
    when 'loop' then loop exit when i >= k0 + rounds; insert into t (v, k) values (kind || i, i); i := i + 1; end loop;
    when 'query' then for r in select g, g * 2 as twice, 'text' || g as s from generate_series(k0, k0 + rounds - 1) g loop insert into t values (r.g, r.s, r.twice); end loop;
    when 'dynamic' then for r in execute 'select g, $1 || g as s from generate_series($2, $3) g' using kind, k0, k0 + rounds - 1 loop insert into t values (r.g, r.s); end loop;
    when 'scalars' then for i, e in select g, g + 1 from generate_series(k0, k0 + rounds - 1) g loop insert into t values (i, kind || e, e); end loop;
    when 'foreach' then foreach e in array array(select g from generate_series(k0, k0 + rounds - 1) g) loop insert into t values (e, kind || e, e); end loop;
    when 'cursor' then for r in c(k0) loop insert into t values (r.g, kind || r.g, r.g); end loop;
    when 'fetch' then open c2 for select g from generate_series(k0, k0 + rounds - 1) g; loop fetch c2 into e; exit when not found; insert into t values (e, kind || e); end loop; close c2;
    when 'nested' then for a in 0 .. rounds / 3 - 1 loop for b in 0 .. 2 loop insert into t values (k0 + a * 3 + b, a || 'nested' || b); end loop; end loop;
    when 'left' then <<outer_loop>> for a in 0 .. 100 loop for b in 0 .. 2 loop insert into t values (k0 + a * 3 + b, a || 'left' || b); exit outer_loop when a * 3 + b >= rounds; continue outer_loop when b = 1; end loop; end loop;
    when 'continue' then for j in k0 .. k0 + rounds loop continue when j % 2 = 0; insert into t values (j, kind || j); continue when j % 3 = 0; insert into t values (-j, kind || -j); end loop;
    when 'return' then for j in k0 .. k0 + 1000 loop insert into t values (j, kind || j); if j = k0 + rounds then return kind || ' returned ' || (select count(*) from t); end if; end loop;
    when 'exit of block' then <<b>> begin for j in k0 .. k0 + 1000 loop insert into t values (j, kind || j); exit b when j = k0 + rounds; end loop; raise notice 'not here'; end;
    when 'two tables' then for j in k0 .. k0 + rounds - 1 loop insert into t values (j, kind || j); insert into plain values (j, kind); end loop;
    when 'two statements' then for j in k0 .. k0 + rounds - 1 loop insert into t values (j, kind || j); if j % 4 = 0 then insert into t (k, n) values (-j, j); end if; end loop;
    when 'several rows' then for j in k0 .. k0 + rounds - 1 loop insert into t values (j, kind || j), (-j, kind || -j); end loop;
    when 'select' then for j in k0 .. k0 + rounds - 1 loop insert into t select j, kind || j, j; insert into plain select j, kind where j % 2 = 0; end loop;
    when 'defaults' then for j in k0 .. k0 + rounds - 1 loop insert into t values (j, null, default); insert into t (n, k) values (default, -j); end loop;
    when 'null' then for j in k0 .. k0 + rounds - 1 loop insert into t values (j, null, null); end loop;
    when 'none' then for j in 1 .. 0 loop insert into t values (j); end loop;
    when 'handlers' then for j in k0 .. k0 + rounds - 1 loop begin insert into t values (k0 + j % 5, kind || j); exception when unique_violation then i := i + 1; end; end loop;
    when 'found' then for j in k0 .. k0 + rounds - 1 loop update t set n = n + 1 where k = k0 + j % 4; if not found then insert into t values (k0 + j % 4, kind || j, 0); end if; end loop;
    when 'counts' then for j in k0 .. k0 + rounds - 1 loop insert into t values (j, kind || j); get diagnostics e = row_count; i := i + e; end loop; get diagnostics e = row_count; i := i + e;
    when 'swaps' then for j in k0 .. k0 + rounds - 1 loop insert into t values (j, kind || j); delete from t where k = j - 1; insert into t values (j - 1, kind || j - 1); end loop;
  end case;
  return concat_ws(' ', kind, i, found, (select max(k) from t));
end $$;
create function all_loops(k0 int, rounds int) returns setof text language plpgsql as $$
declare
  kind text;
begin
  foreach kind in array array['for', 'reverse', 'by', 'while', 'loop', 'query', 'dynamic', 'scalars', 'foreach', 'cursor', 'fetch', 'nested', 'left', 'continue', 'return', 'exit of block', 'two tables',
      'two statements', 'several rows', 'select', 'defaults', 'null', 'none', 'handlers', 'found', 'counts', 'swaps'] loop
    delete from t;
    begin
      return next loops(kind, k0, rounds);
    exception when unique_violation then return next sqlerrm;
    end;
    return next (select s::text from shown s);
  end loop;
end $$;
select * from all_loops(100, 7);
select * from all_loops(200, 12);
select * from all_loops(300, 3);
begin isolation level repeatable read;
select * from all_loops(400, 9);
select * from all_loops(400, 600);
commit;
select * from all_loops(1000, 1200);
select * from shown;
select count(*), sum(a), min(b), max(b) from plain;
-- A DO block; a block within the loop; a loop within a handler.
truncate t;
do $$
declare
  n int := 0;
begin
  for i in 1 .. 20 loop
    insert into t values (i, 'do' || i);
    begin
      insert into t values (i + 100, 'block' || i);
      if i % 4 = 0 then raise sqlstate 'X0001' using message = 'undo ' || i; end if;
      insert into t values (i + 200, 'block again' || i);
    exception when sqlstate 'X0001' then
      n := n + 1;
      for j in 1 .. 3 loop
        insert into t values (i * 1000 + j, sqlerrm || j);
      end loop;
    end;
    insert into t values (i + 300, 'behind' || i);
  end loop;
  raise notice '% undone, % rows', n, (select count(*) from t);
end $$;
select * from shown;
do $$ begin for i in 1 .. 30 loop insert into t values (i + 50, 'again' || i); end loop; end $$;
do $$ begin for i in 21 .. 30 loop insert into t values (i + 30, 'again' || i % 7); end loop; end $$;
select * from shown;
create function undone(k0 int, rounds int, how text) returns text language plpgsql as $$
declare
  said text := '';
begin
  for i in k0 .. k0 + rounds - 1 loop
    insert into t values (i, how || i);
  end loop;
  begin
    for i in k0 + rounds .. k0 + rounds * 2 - 1 loop
      insert into t values (i, how || i);
    end loop;
    case how
      when 'raise' then raise exception 'undone';
      when 'divide' then said := 1 / (rounds - rounds);
      when 'key' then insert into t values (k0 + rounds, 'key');
      when 'key of before' then insert into t values (k0, 'key');
      when 'late key' then for i in reverse k0 + rounds * 3 .. k0 + rounds * 2 - 1 loop insert into t values (i, 'late' || i); end loop;
      when 'nothing' then null;
    end case;
  exception when others then
    said := sqlstate || ' ' || sqlerrm || ' ' || (select count(*) from t where k >= k0);
    for i in k0 + rounds .. k0 + rounds + 2 loop
      insert into t values (i, 'handled' || i);
    end loop;
  end;
  for i in -2 .. 0 loop
    insert into t values (k0 + i - rounds, 'end' || k0 + i);
  end loop;
  return said || ' ' || (select count(*) from t where k >= k0 - rounds - 2);
end $$;
truncate t;
select undone(1000, 5, 'nothing');
select undone(2000, 5, 'raise');
select undone(3000, 5, 'divide');
select undone(4000, 5, 'key');
select undone(5000, 5, 'key of before');
select undone(6000, 5, 'late key');
select undone(7000, 700, 'raise');
select undone(10000, 700, 'late key');
select * from shown;
-- Calls in the loop, which insert into the same table, and recursion.
create function inner_rows(k0 int, rounds int, how text) returns int language plpgsql as $$
begin
  for i in k0 .. k0 + rounds - 1 loop
    insert into t values (i, 'inner' || i);
    if how = 'raise' and i = k0 + 2 then raise exception 'inner raised'; end if;
    if how = 'key' and i = k0 + 2 then insert into t values (k0); end if;
  end loop;
  return rounds;
end $$;
create function outer_rows(k0 int, how text) returns int language plpgsql as $$
declare
  n int := 0;
begin
  for i in k0 .. k0 + 9 loop
    insert into t values (i, 'outer' || i);
    if i % 3 = 0 then
      begin
        case how
          when 'assignment' then n := n + inner_rows(i * 10, 3, '');
          when 'perform' then perform inner_rows(i * 10, 4, '');
          when 'into' then select n + inner_rows(i * 10, 3, '') into n;
          when 'values' then insert into t values (inner_rows(i * 10, 3, ''), 'value' || i);
          when 'raise' then n := inner_rows(i * 10, 5, 'raise');
          when 'key' then perform inner_rows(i * 10, 5, 'key');
          when 'same key' then n := inner_rows(i, 5, '');
        end case;
      exception when raise_exception or unique_violation then n := n - 100;
      end;
    end if;
  end loop;
  return n * 1000 + count(*) from t;
end $$;
truncate t;
select outer_rows(1000, 'assignment');
select outer_rows(2000, 'perform');
select outer_rows(3000, 'into');
select outer_rows(4000, 'values');
select outer_rows(5000, 'raise');
select outer_rows(6000, 'key');
select outer_rows(7000, 'same key');
select * from shown;
create function recursive_rows(k0 int, depth int) returns int language plpgsql as $$
declare
  n int := 0;
begin
  for i in 1 .. 4 loop
    insert into t values (k0 * 10 + i, 'depth' || depth || '-' || k0 * 10 + i);
    insert into t values (-(k0 * 10 + i), 'depth' || -depth || '-' || k0 * 10 + i);
    if depth > 1 and i % 2 = 0 then n := n + recursive_rows(k0 * 10 + i, depth - 1); end if;
    n := n + 1;
  end loop;
  return n;
end $$;
truncate t;
select recursive_rows(1, 1), recursive_rows(2, 4);
select recursive_rows(3, 3);
select recursive_rows(24, 3);
select * from shown;
create function each_row(n int) returns int language plpgsql as $$
begin
  for i in 1 .. 3 loop
    insert into t values (n * 10 + i, 'each' || n || i);
  end loop;
  return n;
end $$;
truncate t;
select sum(each_row(g)) from generate_series(1, 300) g;
select count(each_row(g)), count(*) from generate_series(1000, 1010) g where exists (select from t where k = g);
insert into t select each_row(g) from generate_series(30000, 30010) g;
insert into t select each_row(g) * 10 + 1 from generate_series(40000, 40010) g;
select * from shown;
-- Sets: rows that are returned, and a query over the table.
create function returns_rows(k0 int, rounds int) returns table (a int, b bigint) language plpgsql as $$
begin
  for i in k0 .. k0 + rounds - 1 loop
    insert into t values (i, 'set' || i);
    return query select k, (select count(*) from t) from t where k = i and k % 2 = 0;
    insert into t values (-i, 'set' || -i);
    if i % 2 = 1 then
      a := i;
      b := k0;
      return next;
    end if;
  end loop;
  return query select t.k, count(*) over () from t where t.k >= k0 order by 1 desc limit 2;
end $$;
truncate t;
select * from returns_rows(1, 5);
select * from returns_rows(11, 8);
select a, b, (select count(*) from t) from returns_rows(21, 5) where a % 3 > 0;
-- Procedures that commit and roll back.
create procedure commits(k0 int, rounds int, how text) language plpgsql as $$
begin
  for i in k0 .. k0 + rounds - 1 loop
    insert into t values (i, how || i);
    if i % 4 = 0 then
      case how
        when 'commit' then commit;
        when 'rollback' then rollback;
        when 'both' then if i % 8 = 0 then commit and chain; else rollback and chain; end if;
        when 'call' then call commits(i * 100, 5, 'commit');
        when 'key' then insert into t values (k0 + 1, 'key'); commit;
        when 'nothing' then null;
      end case;
    end if;
  end loop;
end $$;
truncate t;
call commits(1000, 15, 'nothing');
call commits(2000, 15, 'commit');
call commits(3000, 15, 'rollback');
call commits(4000, 30, 'both');
call commits(5001, 10, 'call');
call commits(6001, 10, 'key');
call commits(2016, 7, 'commit');
call commits(1997, 7, 'commit');
call commits(2995, 7, 'rollback');
call commits(1990, 8, 'rollback');
select k, v from t where k < 100000 order by k;
begin;
call commits(7000, 3, 'nothing');
call commits(7010, 3, 'commit');
commit;
select * from shown;
create procedure commits_within(k0 int, rounds int) language plpgsql as $$
declare
  r record;
begin
  for r in select k from t where k < k0 order by k limit rounds loop
    insert into t values (r.k + k0, 'commits within' || r.k);
    begin
      insert into t values (case when r.k % 3 = 0 then r.k else -r.k end, 'tried' || r.k);
    exception when unique_violation then
      insert into t values (r.k + k0 * 2, 'handled' || r.k);
    end;
    if r.k % 2 = 0 then commit; else rollback; end if;
  end loop;
end $$;
call commits_within(1000000, 12);
select k, v from t where k < 0 or k > 900000 order by k;
-- Tables: temporary ones, with no key, made in the loop, views, generated and identity columns.
create function temporary(rounds int, how text) returns text language plpgsql as $$
begin
  create temp table passing (a int unique, b text) on commit drop;
  for i in 1 .. rounds loop
    insert into passing values (i % 1000, how);
    insert into plain values (i, how);
  end loop;
  return (select count(*) || how || sum(a) from passing);
end $$;
truncate plain;
select temporary(5, 'first');
select temporary(700, 'second');
do $$ begin perform temporary(1005, 'third'); exception when unique_violation then raise notice '%', sqlerrm; end $$;
select count(*), sum(a) from plain;
begin;
create temp table kept (a int primary key, b text) on commit delete rows;
create function keeps(n int) returns bigint language plpgsql as $$ begin for i in n .. n + 5 loop insert into kept values (i); end loop; return count(*) from kept; end $$;
select keeps(1);
select keeps(7);
commit;
select count(*) from kept;
select keeps(1);
select keeps(3);
create function makes_tables(rounds int) returns text language plpgsql as $$
declare
  said text := '';
begin
  for i in 1 .. rounds loop
    create table made (a int, b text default 'made');
    for j in 1 .. i + 2 loop
      insert into made (a) values (j);
    end loop;
    said := said || (select count(*) from made) || ' ';
    drop table made;
  end loop;
  return said;
end $$;
select makes_tables(3);
select makes_tables(2);
create view low as select k, v, n from t where k < 50 with check option;
create view renamed as select k as id, n as number, v as text from t;
create function through_views(k0 int, rounds int) returns text language plpgsql as $$
begin
  for i in k0 .. k0 + rounds - 1 loop
    insert into renamed (number, id, text) values (i * 2, i, 'renamed' || i);
    insert into low values (-i, 'low' || -i);
  end loop;
  for i in k0 .. k0 + rounds - 1 loop
    insert into low values (i + 20, 'low' || i);
  end loop;
  return (select count(*) || ' ' || sum(n) from t);
end $$;
truncate t;
select through_views(1, 5);
select through_views(6, 5);
select through_views(11, 5);
select through_views(16, 5);
select through_views(29, 5);
select through_views(31, 3);
select * from shown;
create table columns (id int generated by default as identity primary key, a int, twice int generated always as (a * 2) stored, inverse int generated always as (100 / nullif(a, 7)) stored, at text default 'now ' || (now() <= clock_timestamp()), u text default 'u' || current_setting('search_path'), check (a + twice < 1000));
create table always (id int generated always as identity (start 10 increment 5), a int unique);
create function fills_columns(a0 int, rounds int) returns text language plpgsql as $$
begin
  for i in a0 .. a0 + rounds - 1 loop
    insert into columns (a) values (i);
    insert into columns (id, a) values (-i - 1000, i);
    if i % 3 = 0 then insert into columns values (default, i, default, default); end if;
    insert into always (a) values (i);
  end loop;
  for i in a0 .. a0 + rounds - 1 loop
    insert into always overriding system value values (i, i + 1000);
  end loop;
  return lastval() || ' ' || currval('columns_id_seq') || ' ' || currval('always_id_seq');
end $$;
select fills_columns(1, 5);
select fills_columns(6, 5);
select fills_columns(-2, 5);
select fills_columns(330, 5);
select fills_columns(2147483640, 5);
select fills_columns(11, 5);
select id, a, twice, inverse, at, u from columns order by id;
select * from always order by a;
-- Types, values that change from row to row, and long ones.
create domain small as int check (value < 100);
create type pair as (a int, b text);
create type mood as enum ('sad', 'ok', 'happy');
create table kinds (id int primary key, d small, p pair, m mood, arr int[], ta text[], j jsonb, b bytea, ts timestamptz, i interval, n numeric, f float8, u uuid, bo bool, c char(5), vc varchar(10));
create function kinds_of(k0 int, rounds int, top int) returns text language plpgsql as $$
declare
  s text := '';
  x kinds;
  p pair;
  arr int[] := '{}';
  words text[] := '{}';
  n numeric := 1;
begin
  for i in k0 .. k0 + rounds - 1 loop
    s := s || chr(97 + i % 26);
    arr := arr || i;
    words := words || s;
    n := n * 1234567.891;
    p := (i, s);
    insert into kinds values (i, i % top, p, (array['sad', 'ok', 'happy'])[1 + i % 3]::mood, arr, words, jsonb_build_object('k', i, s, arr), s::bytea, '2020-01-01 00:00:00+00'::timestamptz + make_interval(hours => i), make_interval(days => i),
      n, i / 3.0, md5(s)::uuid, i % 2 = 0, left(s, 5), right(s, 10));
    x.id := -i;
    x.d := case when i % 2 = 0 then i % 90 end;
    x.p.b := s || i;
    x.arr[i - k0 + 1] := i;
    x.n := n / 3;
    insert into kinds values (x.*);
    s := s || s;
  end loop;
  return length(s);
end $$;
select kinds_of(1, 8, 100);
select kinds_of(9, 10, 100);
select kinds_of(101, 3, 200);
select kinds_of(95, 8, 200);
select id, d, p, m, arr, left(ta::text, 300), left(j::text, 300), b, ts, i, n, f, u, bo, c, vc from kinds where abs(id) < 13 order by id;
select count(*), md5(string_agg(k::text, ',' order by id)) from kinds k;
create table long (id int primary key, s text, t text);
create function long_texts(k0 int, rounds int, size int) returns text language plpgsql as $$
declare
  s text;
begin
  for i in k0 .. k0 + rounds - 1 loop
    s := repeat(chr(65 + i % 26) || i, size * (1 + i % 3));
    insert into long values (i, s, case when i % 4 = 0 then reverse(s) end);
  end loop;
  return (select count(*) || ' ' || sum(length(long.s) + coalesce(length(t), 0)) from long);
end $$;
select long_texts(1, 10, 10);
select long_texts(11, 30, 1000);
select long_texts(41, 30, 50000);
select long_texts(100, 700, 1000);
select long_texts(1000, 10, 400000);
select long_texts(91, 30, 50000);
select long_texts(900, 120, 5000);
select count(*), md5(string_agg(md5(s) || coalesce(md5(t), '-'), ',' order by id)) from long;
create table wide (k int primary key, a1 int, a2 text, a3 int, a4 text, a5 int, a6 text, a7 int, a8 text, a9 int);
create function wide_rows(k0 int, rounds int) returns text language plpgsql as $$
declare
  r wide;
begin
  for i in k0 .. k0 + rounds - 1 loop
    r := row(i, i, i, null, i || 'x', i * 2, '', null, null, -i);
    insert into wide select r.*;
    insert into wide values ((r.k + 100000), r.a1, r.a2 || r.a4, (r).a9);
  end loop;
  return (select md5(string_agg(w::text, ',' order by k)) from wide w);
end $$;
select wide_rows(1, 5);
select wide_rows(11, 600);
-- Columns that change while the loop goes on.
create function changes_columns(k0 int, rounds int, how text) returns text language plpgsql as $$
begin
  for i in k0 .. k0 + rounds - 1 loop
    insert into long values (i, 'changed' || i);
    if i = k0 + 3 then
      case how
        when 'add' then alter table long add extra int default 5;
        when 'drop' then alter table long drop extra;
        when 'type' then alter table long alter t type varchar(1000000);
        when 'not null' then alter table long alter s set not null;
        when 'default' then alter table long alter t set default 'default';
        when 'check' then alter table long add constraint even check (id % 2 = 0) not valid;
        when 'drop check' then alter table long drop constraint even;
        when 'unique' then create unique index long_once on long (left(s, 9)) where id > k0 - 50;
        when 'truncate' then truncate long;
        when 'vacuum' then vacuum long;
      end case;
    end if;
  end loop;
  return (select md5(string_agg(md5(l::text), ',' order by id)) from long l where id >= 10000);
end $$;
select changes_columns(10000, 8, 'add');
select changes_columns(10010, 8, 'drop');
select changes_columns(10020, 8, 'not null');
select changes_columns(10030, 8, 'default');
select changes_columns(10041, 8, 'check');
select changes_columns(10050, 8, 'unique');
select changes_columns(10060, 8, 'vacuum');
select changes_columns(10070, 8, 'truncate');
select changes_columns(10080, 8, 'type');
select changes_columns(10090, 8, 'drop check');
select * from long order by id;
-- What is asked of a statement, and of the session.
create function asks(k0 int, rounds int) returns text language plpgsql as $$
declare
  said text := '';
  n int;
  x xid8;
begin
  for i in k0 .. k0 + rounds - 1 loop
    insert into plain values (i);
    get diagnostics n = row_count;
    said := said || n || found;
    if i = k0 then x := pg_current_xact_id_if_assigned(); end if;
    if i % 3 = 0 then
      perform 1 where false;
      get diagnostics n = row_count;
      said := said || '-' || n || found;
    end if;
    if i % 4 = 0 then
      update plain set b = 'asked' where a = i;
      get diagnostics n = row_count;
      said := said || '+' || n || found;
    end if;
  end loop;
  get diagnostics n = row_count;
  return said || '=' || n || found || (x = pg_current_xact_id());
end $$;
truncate plain;
select asks(1, 8);
select asks(9, 8);
begin isolation level repeatable read;
select asks(17, 8);
commit;
select count(*) from plain where b is not null;
create function timed_out(k0 int) returns int language plpgsql as $$
begin
  for i in k0 .. 2000000000 loop
    insert into plain values (i % 1000);
    if i % 1000 = 0 then delete from plain; end if;
  end loop;
  return 0;
exception when query_canceled then
  return (select count(*) from plain where a < 0);
end $$;
truncate plain;
insert into plain values (-1), (-2);
set statement_timeout = '1500ms';
select timed_out(1);
select timed_out(1);
reset statement_timeout;
select count(*) from plain;
