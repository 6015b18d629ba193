-- file: message detail hint context objects notices
-- Rows that loops insert: which error comes first, what it says, and what is left. The first call of a routine meets no error.
create schema pge;
set search_path = pge, public;
create table t (k int primary key, v int unique, w int not null default 0, x numeric(6,2), s text, check (w < 100), constraint t_sum check (k + coalesce(v, 0) <> 77));
create table old (k int primary key, v int);
create view shown as select count(*) as n, sum(k) as k, sum(v) as v, sum(w) as w from t;
-- Keys: of older rows, and of rows of the same loop.
create function keys(list int[]) returns text language plpgsql as $$
declare
  e int;
begin
  foreach e in array list loop

    insert into t values (e);
  end loop;
  return 'all of ' || array_length(list, 1);
end $$;
select keys('{1,2,3,4,5}');
select keys('{6,7,8,9,6}');
select keys('{6,7,3,9,6}');
select keys('{1}');
select keys('{6,7,8,1,77}');
select keys('{6,7,8,77,1}');
select keys('{6,7,8,null,1}');
select keys('{6,7,8,8,null}');
select keys('{6,7,null,77}');
select keys('{77,null}');
select keys('{77}');
select keys(array_agg(g) || 900) from generate_series(100, 1700) g;
select keys(array_agg(g) || 100 || 20) from generate_series(100, 612) g;
select keys(array_agg(g) || 100 || 20) from generate_series(100, 611) g;
select keys(array_agg(g) || 100 || 20) from generate_series(100, 610) g;
select * from shown;
select keys('{6,7,8}');
select * from shown;
truncate t;
-- Two keys: the row that is first, and of its keys the one that is first.
create function pairs(list int[]) returns int language plpgsql as $$
declare
  p int[];
  n int := 0;
begin
  foreach p slice 1 in array list loop
    n := n + 1;
    insert into t (v, k, w) values (p[2], p[1], p[3]);
  end loop;
  return n;
exception
  when unique_violation or check_violation or not_null_violation then
    raise notice '% after % rows', sqlerrm, n;
    return -n;
end $$;
select pairs('{{1,1,1},{2,2,2},{3,3,3}}');
select pairs('{{4,4,1},{5,4,1},{1,5,1}}');
select pairs('{{4,4,1},{1,5,1},{5,4,1}}');
select pairs('{{4,4,1},{1,1,1}}');
select pairs('{{4,4,1},{5,5,1},{6,6,100},{1,1,1}}');
select pairs('{{4,4,1},{5,5,1},{1,6,1},{6,6,100}}');
select pairs('{{4,4,1},{5,5,1},{1,6,100},{6,6,100}}');
select pairs('{{4,4,1},{5,5,1},{1,6,null},{6,6,100}}');
select pairs('{{4,null,1},{5,null,1},{6,null,1},{6,null,1}}');
select pairs('{{4,40,1},{5,null,1},{37,40,1},{4,2,1}}');
select pairs('{{4,40,1},{5,null,1},{36,40,1},{4,2,1}}');
select * from t order by k;
-- Variables, in a handler, have what they had when the row was inserted that failed.
create function counted(list int[], out n int, out seen text, out e int, out what text) language plpgsql as $$
declare
  i int := 0;
  r record;
begin
  n := 0;
  seen := '';
  begin
    while i < array_length(list, 1) loop
      i := i + 1;
      e := list[i];
      seen := seen || '-' || e;
      select e as one, i as two into r;
      insert into t (k) values (e);
      n := n + 1;
    end loop;
  exception when others then
    get stacked diagnostics what = pg_exception_context;
    what := sqlstate || sqlerrm || r || what || i;
  end;
end $$;
truncate t;
select * from counted('{1,2,3}');
select * from counted('{4,5,6,4,8,9,10}');
select * from counted('{4,5,6,1,8,1,10}');
select * from counted('{1,5,6,1,8,1,10}');
select * from counted('{4,5,77,1,8,1,10}');
select * from shown;
create function counted_simply(list int[]) returns int language plpgsql as $$
declare
  n int := 0;
begin
  for i in 1 .. array_length(list, 1) loop
    n := n + list[i];
    insert into t (k) values (list[i]);
  end loop;
  return n;
exception when unique_violation then
  return -n;
end $$;
select counted_simply('{11,12,13}');
select counted_simply('{21,22,21,24,25,26}');
select counted_simply('{21,22,11,24,25,26}');
select counted_simply('{11,22,11,24,25,26}');
select * from shown;
-- Errors of what comes after a row that is refused are not met.
create function divides(list int[], below int) returns numeric language plpgsql as $$
declare
  e int;
  q numeric := 0;
begin
  foreach e in array list loop
    insert into t (k, x) values (e, 10);
    q := q + 100 / (e - below);
  end loop;
  return q;
end $$;
truncate t;
select divides('{1,2,3}', 100);
select divides('{4,5,6}', 6);
select divides('{4,4,6}', 6);
select divides('{4,5,1,6}', 6);
select divides('{4,5,1}', 1);
select * from shown;
create function divides_within(list int[], below int) returns void language plpgsql as $$
declare
  e int;
begin
  foreach e in array list loop
    insert into t (k, x) values (e, 100 / (e - below));
  end loop;
end $$;
select divides_within('{11,12,13}', 100);
select divides_within('{14,15,16}', 16);
select divides_within('{14,14,16}', 16);
select divides_within('{14,11,16}', 16);
select divides_within('{14,16,11}', 16);
select * from shown;
-- A number too large for its column, or for the quick arithmetic.
create function numbers(list numeric[]) returns void language plpgsql as $$
begin
  for i in 1 .. array_length(list, 1) loop
    insert into t (k, x) values (list[i], list[i] * 1.5);
  end loop;
end $$;
truncate t;
select numbers('{1,2,3}');
select numbers('{4,5,9999}');
select numbers('{4,4,9999}');
select numbers('{4,9999,4}');
select numbers('{4,1,99999999999}');
select numbers('{4,99999999999,1}');
create table big (n numeric unique, m numeric(30,10));
create function large(list numeric[], factor numeric) returns void language plpgsql as $$
declare
  e numeric;
begin
  foreach e in array list loop
    insert into big values (e * factor, e + factor);
  end loop;
end $$;
select large('{1,2,3}', 1);
select large('{4,5,6}', 123456789012345678901234567890.5);
select large('{7,8,8,9}', 99999999999999999999999999999999999999);
select large('{7,8,8,9}', 9999999999999999);
select large('{7,99999999999999999999,8,9}', 9999999999999999999);
select large('{17,18,99999999999999999999,18,9}', 9999999999999999999);
select * from big order by n;
-- Text that is no number, in a value and in a cast.
create function texts(list text[]) returns void language plpgsql as $$
declare
  e text;
begin
  foreach e in array list loop
    insert into t (k, s) values (e::int, e || e);
  end loop;
end $$;
truncate t;
select texts('{1,2,3}');
select texts('{4,5,x}');
select texts('{4,4,x}');
select texts('{4,3,x}');
select texts('{4,x,4}');
create function texts_cast(list text[]) returns void language plpgsql as $$
declare
  e text;
  n int;
begin
  foreach e in array list loop
    n := e;
    insert into t (k, s) values (n, e);
  end loop;
end $$;
select texts_cast('{11,12,13}');
select texts_cast('{14,14,x}');
select texts_cast('{14,x,14}');
select texts_cast('{14,11,x}');
create table short (k int primary key, s varchar(3), c char(2) unique, d date);
create function shorts(list text[]) returns void language plpgsql as $$
begin
  for i in 1 .. array_length(list, 1) loop
    insert into short values (i, list[i], left(list[i], 2), '2020-01-01'::date + i);
  end loop;
end $$;
select shorts('{ab,bc,cd}');
truncate short;
select shorts('{ab,bc,abcd}');
select shorts('{ab,ab,abcd}');
select shorts('{ab,abcd,ab}');
select shorts('{"ab ","a","a ","abcd"}');
-- What is said after the loop.
create function afterwards(list int[], what text) returns int language plpgsql as $$
declare
  n int;
  e int;
begin
  foreach e in array list loop
    insert into old values (e, e);
  end loop;
  case what
    when 'raise' then raise exception 'raised';
    when 'notice' then raise notice 'noticed';
    when 'divide' then n := 1 / (list[1] - list[1]);
    when 'return' then return 1 / (list[1] - list[1]);
    when 'end' then null;
    when 'same' then insert into old values (list[1], 0);
    when 'other' then insert into t (k) values (list[1]);
    when 'count' then select count(*) into strict n from old where k = 0 group by k;
    when 'assert' then assert false, 'asserted';
    when 'dynamic' then execute 'select 1 / 0';
    when 'unknown' then perform * from nosuch;
    when 'ddl' then create table old (k int);
    when 'text' then return what;
    when 'commit' then commit;
    when 'if' then if 1 / (list[1] - list[1]) = 1 then null; end if;
    when 'truncate' then truncate old; return (select count(*) from old);
    when 'delete' then delete from old; get diagnostics n = row_count; return n;
  end case;
  return 0;
end $$;
select afterwards('{1,2,3}', 'notice');
select afterwards('{4,5,6}', 'raise');
select afterwards('{4,5,4}', 'raise');
select afterwards('{4,5,4}', 'notice');
select afterwards('{4,5,6}', 'divide');
select afterwards('{4,5,4}', 'divide');
select afterwards('{4,5,6}', 'return');
select afterwards('{4,5,4}', 'return');
select afterwards('{4,5,4}', 'end');
select afterwards('{4,5,6}', 'same');
select afterwards('{4,5,5}', 'same');
select afterwards('{4,5,6}', 'other');
select afterwards('{7,8,7}', 'other');
select afterwards('{4,5,1}', 'count');
select afterwards('{14,15,16}', 'count');
select afterwards('{4,5,1}', 'assert');
select afterwards('{14,15,16}', 'assert');
select afterwards('{4,5,1}', 'dynamic');
select afterwards('{14,15,16}', 'dynamic');
select afterwards('{4,5,1}', 'unknown');
select afterwards('{14,15,16}', 'unknown');
select afterwards('{4,5,1}', 'ddl');
select afterwards('{14,15,16}', 'ddl');
select afterwards('{4,5,1}', 'text');
select afterwards('{14,15,16}', 'text');
select afterwards('{4,5,1}', 'commit');
select afterwards('{14,15,16}', 'commit');
select afterwards('{4,5,1}', 'if');
select afterwards('{14,15,16}', 'if');
select afterwards('{14,15,14}', 'nosuch case');
select afterwards('{14,15,16}', 'nosuch case');
select afterwards('{14,15,14}', 'truncate');
select afterwards('{14,15,16}', 'delete');
select afterwards('{14,15,16}', 'truncate');
select * from old;
-- A function that returns nothing, and whose end is an error of its own.
create function endless(list int[]) returns int language plpgsql as $$
begin
  for i in 1 .. array_length(list, 1) loop
    insert into old values (list[i]);
    if list[i] = 50 then
      return 50;
    end if;
  end loop;
end $$;
truncate old;
select endless('{1,2,50}');
select endless('{3,4,5}');
select endless('{3,4,4}');
select endless('{3,3,51}');
select endless('{3,3,50}');
select endless('{3,4,50}');
select count(*) from old;
-- Keys of expressions, and of some rows: each row meets its indexes in their order.
create function inverse(n int) returns int immutable language sql return 100 / n;
create table x (a int primary key, b int, c text);
create unique index x_b on x (inverse(b));
create unique index x_a on x ((1000 / (a - 9)));
create unique index x_some on x (lower(c)) where b > 50;
create function keyed(list int[], c text default null) returns int language plpgsql as $$
declare
  p int[];
  n int := 0;
begin
  foreach p slice 1 in array list loop
    insert into x values (p[1], p[2], c);
    n := n + 1;
  end loop;
  return n;
end $$;
select keyed('{{1,1},{2,2}}');
select keyed('{{3,3},{4,4},{51,5}}');
select keyed('{{13,6},{14,0},{13,0}}');
select keyed('{{13,6},{13,0},{14,0}}');
select keyed('{{13,6},{14,10},{13,0}}');
select keyed('{{13,6},{14,10},{9,11}}');
select keyed('{{13,6},{9,11},{13,11}}');
select keyed('{{13,6},{9,6},{13,11}}');
select keyed('{{5,11},{9,11},{13,0}}');
select keyed('{{6,11},{7,0},{9,5}}');
select keyed('{{6,11},{9,10},{6,5},{7,0}}');
select keyed('{{6,11},{6,5},{7,0},{9,5}}');
select keyed('{{1011,11},{1012,7},{1013,8}}');
select keyed('{{21,14},{22,-14},{23,51}}', 'One');
select keyed('{{31,16},{32,-51},{33,101}}', 'two');
select keyed('{{41,25},{42,60},{43,-25}}', 'oNE');
select keyed('{{41,60},{42,101},{43,-25}}', 'three');
select keyed('{{41,60},{41,101},{43,-25}}', 'three');
select * from x order by a;
-- Keys that are looked at behind each statement, or at the end.
create table later (a int constraint later_a unique deferrable, b int constraint later_b unique, c int constraint later_c unique deferrable initially deferred);
create function puts_later(list int[]) returns int language plpgsql as $$
declare
  p int[];
  n int := 0;
begin
  foreach p slice 1 in array list loop
    insert into later values (p[1], p[2], p[3]);
    n := n + 1;
  end loop;
  return n;
end $$;
select puts_later('{{1,1,1},{2,2,2}}');
select puts_later('{{3,3,3},{4,4,4}}');
select puts_later('{{11,11,11},{11,12,12},{13,12,13}}');
select puts_later('{{11,11,11},{13,11,13},{11,12,12}}');
select puts_later('{{11,11,11},{1,13,13},{2,2,14}}');
select puts_later('{{11,11,11},{13,13,1},{14,14,14}}');
select puts_later('{{11,11,11},{13,13,13},{11,14,14}}');
begin;
select puts_later('{{11,11,11},{13,13,1},{14,14,14}}');
set constraints all immediate;
rollback;
begin;
select puts_later('{{11,11,11},{13,13,1},{14,14,14}}');
delete from later where c = 1 and a = 1;
commit;
begin;
set constraints all deferred;
select puts_later('{{21,21,21},{21,22,22},{23,23,23}}');
update later set a = 24 where b = 22;
commit;
create function puts_and_looks(list int[]) returns int language plpgsql as $$
declare
  p int[];
begin
  foreach p slice 1 in array list loop
    insert into later values (p[1], p[2], p[3]);
    if p[1] % 2 = 0 then
      set constraints all immediate;
      set constraints all deferred;
    end if;
  end loop;
  return 0;
end $$;
select puts_and_looks('{{31,31,31},{32,32,32},{33,33,33}}');
select puts_and_looks('{{41,41,41},{43,43,41},{44,44,44},{43,43,43}}');
select puts_and_looks('{{41,41,41},{41,43,43},{44,44,44},{43,43,43}}');
select * from later order by a, b;
-- What does not go back with the transaction: sequences and advisory locks are as far as the row that was refused.
create table numbered (id serial primary key, v int unique);
create sequence tickets;
create function takes_numbers(list int[]) returns int language plpgsql as $$
declare
  e int;
begin
  foreach e in array list loop
    insert into numbered (v) values (e);
  end loop;
  return currval('numbered_id_seq');
end $$;
select takes_numbers('{1,2,3}');
select takes_numbers('{11,12,11,13,14}');
select last_value from numbered_id_seq;
select takes_numbers('{11,1,12,13,14}');
select last_value from numbered_id_seq;
create function takes_tickets(list int[], how text) returns int language plpgsql as $$
declare
  e int;
  n int := 0;
begin
  foreach e in array list loop
    case how
      when 'before' then n := nextval('tickets');
      when 'into' then select nextval('tickets') into n;
      when 'perform' then perform nextval('tickets');
      when 'if' then if nextval('tickets') < 0 then return -1; end if;
      when 'lock' then n := pg_try_advisory_lock(770, e)::int;
      when 'lock into' then select pg_try_advisory_lock(771, e)::int into n;
      when 'setval' then n := setval('tickets', 1000 + e);
      when 'nothing' then null;
    end case;
    insert into numbered (id, v) values (e + 1000, e * 10);
    if how = 'after' then n := nextval('tickets'); end if;
  end loop;
  return n;
end $$;
select takes_tickets('{101,102,103}', 'before');
select takes_tickets('{104,105,106}', 'before');
select takes_tickets('{107,108,107,109,110}', 'before');
select last_value from tickets;
select setval('tickets', 1, false);
select takes_tickets('{107,108,101,109,110}', 'after');
select last_value from tickets;
select setval('tickets', 1, false);
select takes_tickets('{154,155,156}', 'lock');
select takes_tickets('{157,158,157,159,160}', 'lock');
select classid, objid, count(*) from pg_locks where locktype = 'advisory' group by 1, 2 order by 1, 2;
select takes_tickets('{144,145,146}', 'setval');
select takes_tickets('{147,148,147,149,150}', 'setval');
select last_value from tickets;
select setval('tickets', 1, false);
begin isolation level repeatable read;
savepoint s;
select takes_tickets('{207,208,207,209,210}', 'before');
rollback to s;
select last_value from tickets;
select setval('tickets', 1, false);
select takes_tickets('{207,208,207,209,210}', 'lock');
rollback to s;
select takes_tickets('{207,208,207,209,210}', 'if');
rollback to s;
select last_value from tickets;
select setval('tickets', 1, false);
select takes_tickets('{207,208,207,209,210}', 'lock into');
rollback to s;
select classid, objid, count(*) from pg_locks where locktype = 'advisory' group by 1, 2 order by 1, 2;
select takes_tickets('{207,208,207,209,210}', 'into');
rollback to s;
select last_value from tickets;
select setval('tickets', 1, false);
commit;
select pg_advisory_unlock_all();
select takes_tickets('{134,135,136}', 'if');
select takes_tickets('{137,138,137,139,140}', 'if');
select last_value from tickets;
select setval('tickets', 1, false);
select takes_tickets('{164,165,166}', 'lock into');
select takes_tickets('{167,168,167,169,170}', 'lock into');
select takes_tickets('{114,115,116}', 'into');
select takes_tickets('{117,118,117,119,120}', 'into');
select last_value from tickets;
select setval('tickets', 1, false);
select takes_tickets('{124,125,126}', 'perform');
select takes_tickets('{127,128,127,129,130}', 'perform');
select last_value from tickets;
select setval('tickets', 1, false);
select classid, objid, count(*) from pg_locks where locktype = 'advisory' group by 1, 2 order by 1, 2;
select pg_advisory_unlock_all();
-- Beside statements of other tables, above READ COMMITTED.
create function beside(list int[], what text) returns int language plpgsql as $$
declare
  e int;
  n int := 0;
begin
  foreach e in array list loop
    insert into old values (e);
    n := n + 1;
    case what
      when 'update' then update x set c = c || e where a = 1;
      when 'divide' then update x set b = 1 / (n - 4) where a = 1;
      when 'key' then insert into numbered values (e * 100, 1 - n % 4);
      when 'strict' then select b into strict n from x where a = 1 - n / 4;
      when 'check' then update t set w = 100 where k = n;
      when 'select' then select b + n - b into n from x where a = 1;
      when 'text' then select c::int into n from x where a = 21 and n = 4;
    end case;
  end loop;
  return n;
end $$;
truncate old, t, numbered;
insert into t (k) values (4), (5);
create function beside_all(from_k int) returns setof text language plpgsql as $$
declare
  w text;
  keys text;
begin
  foreach w in array array['update', 'divide', 'key', 'strict', 'check', 'select', 'text'] loop
    foreach keys in array array['{1,2,3}', '{4,5,4,6,7}', '{1,5,6,7,8}', '{4,5,6,7,8}'] loop
      begin
        return next w || ' ' || beside(keys::int[], w);
        raise sqlstate 'UNDO1';
      exception
        when sqlstate 'UNDO1' then null;
        when others then return next w || ' ' || sqlstate || sqlerrm;
      end;
    end loop;
  end loop;
end $$;
insert into old values (1);
begin isolation level repeatable read;
select beside_all(0);
select beside_all(0);
savepoint s;
select beside('{5,6,7}', 'update');
select beside('{8,9,8}', 'update');
rollback to s;
select beside('{4,5,4,6,7}', 'divide');
rollback to s;
select beside('{4,5,6,7}', 'divide');
rollback to s;
select beside('{4,5,4,6,7}', 'check');
rollback to s;
select beside('{4,5,6,7,7}', 'check');
rollback to s;
select beside('{4,5,4,6,7}', 'strict');
rollback to s;
select beside('{4,5,6,7,4}', 'strict');
rollback to s;
select beside('{4,5,4,6,7}', 'text');
rollback to s;
select beside('{4,5,6,7}', 'text');
rollback;
select beside('{2,3}', 'update');
select beside_all(0);
select * from old;
-- Foreign keys to the table that is filled.
create table parent (k int primary key);
create table child (k int primary key, parent int references parent);
create table late_child (k int primary key, parent int references parent deferrable initially deferred);
create function families(list int[], child_of int) returns int language plpgsql as $$
declare
  e int;
begin
  foreach e in array list loop
    insert into parent values (e);
    insert into late_child values (e, e + 1);
    if e % 3 = 0 then insert into child values (e, e - child_of); end if;
  end loop;
  return count(*) from child;
end $$;
begin isolation level repeatable read;
select families('{1,2,3,4,5,6}', 1);
insert into parent values (7);
commit;
select families('{11,12,13}', 0);
select families('{21,22,21,23}', 0);
select families('{21,22,24,23}', 1);
select families('{21,22,24,23}', 2);
begin;
insert into parent values (99);
select families('{94,95,96,97,98}', 1);
commit;
select * from child order by k;
-- Rights and modes that change in the loop.
create role pge_writer;
grant usage on schema pge to pge_writer;
create table given (k int primary key);
create function loses_rights(list int[], how text) returns int language plpgsql as $$
declare
  e int;
begin
  foreach e in array list loop
    insert into given values (e);
    if e % 5 = 0 then
      case how
        when 'role' then set local role pge_writer;
        when 'execute' then execute 'set local role pge_writer';
        when 'function' then perform set_config('role', 'pge_writer', true);
        when 'assigned' then how := set_config('role', 'pge_writer', true);
        when 'read only' then set transaction read only;
        when 'read only assigned' then how := set_config('transaction_read_only', 'on', true);
        when 'drop' then drop table given;
        when 'path' then set local search_path = public;
        when 'nothing' then null;
      end case;
    end if;
  end loop;
  return count(*) from given;
end $$;
select loses_rights('{1,2,3,5,6}', 'nothing');
select loses_rights('{11,12,15,16}', 'role');
select loses_rights('{11,12,15,12}', 'execute');
select loses_rights('{11,12,15,16}', 'function');
select loses_rights('{11,11,15,16}', 'function');
select loses_rights('{11,12,15,16}', 'assigned');
select loses_rights('{11,11,15,16}', 'assigned');
select loses_rights('{11,12,15,16}', 'read only');
select loses_rights('{21,22,25,26}', 'read only assigned');
select loses_rights('{11,11,15,16}', 'read only assigned');
select loses_rights('{11,12,15,16}', 'drop');
select loses_rights('{11,12,15,16}', 'path');
select * from given order by k;
set default_transaction_read_only = on;
select loses_rights('{1,12,15,16}', 'nothing');
reset default_transaction_read_only;
drop table given;
drop function loses_rights;

-- A key that is too long for the index comes behind the duplicate of an earlier row.
create table long_keys (k text primary key);
insert into long_keys values ('b');
create function long_key(list text[]) returns text language plpgsql as $$
declare
  e text;
begin
  foreach e in array list loop
    insert into long_keys values (e);
  end loop;
  return count(*) from long_keys;
end $$;
select long_key('{c,d}');
do $$ begin
  perform long_key(array['e', 'f', 'b', 'g' || (select string_agg(md5(i::text), '') from generate_series(1, 4000) i)]);
exception when unique_violation then raise notice 'there already';
when program_limit_exceeded then raise notice 'too long';
end $$;
select long_key('{e,f,b}');
insert into long_keys select k from (values ('x', 1), ('b', 2), ((select string_agg(md5(i::text), '') from generate_series(1, 4000) i), 3)) v(k, n) order by n;
select count(*) from long_keys;
drop function long_key;
drop table long_keys;

-- A duplicate comes before a loop that only computes, however long that is.
create table computed (k int primary key);
create function computes(list int[]) returns int language plpgsql as $$
declare
  e int;
  n int := 0;
begin
  foreach e in array list loop
    insert into computed values (e);
  end loop;
  while n < 1000000 loop
    n := n + 1;
  end loop;
  return 1 / (n - 1000000);
end $$;
select computes('{1,2}');
select computes('{1,2,1}');
drop function computes;
drop table computed;

drop schema pge cascade;
drop role pge_writer;
