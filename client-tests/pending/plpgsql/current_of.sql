-- file: message detail hint context objects notices
-- UPDATE and DELETE WHERE CURRENT OF a cursor.
create schema pco;
set search_path = pco, public;
create table t (id int primary key, v text);
insert into t select g, 'v' || g from generate_series(1, 10) g;
create function current_of() returns text language plpgsql as $$
declare
  c cursor for select * from t order by id for update;
  r t;
  n int := 0;
begin
  open c;
  loop
    fetch c into r;
    exit when not found;
    if r.id % 3 = 0 then
      update t set v = v || '!' where current of c;
      n := n + 1;
    elsif r.id = 10 then
      delete from t where current of c;
    end if;
  end loop;
  close c;
  return n;
end $$;
begin;
select current_of();
select * from t order by id;
rollback;
create function current_of_for() returns int language plpgsql as $$
declare
  c cursor for select id from t where id < 4;
  n int := 0;
begin
  for r in c loop
    update t set v = 'cur' || r.id where current of c;
    if found then n := n + 1; end if;
  end loop;
  return n;
end $$;
begin;
select current_of_for();
select * from t where id < 5 order by id;
rollback;
create function current_of_unpositioned() returns int language plpgsql as $$ declare c cursor for select * from t; begin open c; update t set v = 'x' where current of c; return 1; end $$;
select current_of_unpositioned();
create function current_of_not_simple() returns int language plpgsql as $$ declare c cursor for select id, count(*) from t group by id; r record; begin open c; fetch c into r; update t set v = 'x' where current of c; return 1; end $$;
select current_of_not_simple();
