-- file: message context notices
-- Cursors and the ends of transactions in procedures.
create table stock (id int primary key, n int);
insert into stock select g, g * 10 from generate_series(1, 6) g;
create procedure by_cursor() language plpgsql as $$
declare
  c cursor for select id, n from stock order by id;
begin
  for r in c loop
    update stock set n = n + 1 where id = r.id;
    if r.id % 2 = 0 then
      commit;
    elsif r.id = 3 then
      rollback;
    end if;
    raise notice '% %', r.id, r.n;
  end loop;
end $$;
call by_cursor();
select * from stock order by id;
create procedure by_arguments(least int) language plpgsql as $$
declare
  c cursor (low int) for select id from stock where id >= low order by id;
  total int := 0;
begin
  for r in c (least) loop
    for s in c (r.id) loop
      total := total + s.id;
      commit;
    end loop;
  end loop;
  raise notice 'total %', total;
end $$;
call by_arguments(4);
create procedure keeps_none() language plpgsql as $$
declare
  c refcursor := 'kept';
  i int;
begin
  open c for select id from stock order by id;
  fetch c into i;
  commit;
  raise notice '%', i;
  fetch c into i;
end $$;
call keeps_none();
select name from pg_cursors;
create procedure opens_again() language plpgsql as $$
declare
  c cursor for select id from stock order by id;
  i int;
begin
  for round in 1 .. 3 loop
    open c;
    fetch c into i;
    raise notice '%', i;
    if round = 2 then
      rollback;
    else
      commit;
    end if;
  end loop;
end $$;
call opens_again();
begin;
declare outside cursor with hold for select id from stock order by id;
fetch outside;
commit;
call by_arguments(6);
fetch outside;
close outside;
create procedure closes_pinned() language plpgsql as $$
declare
  c cursor for select id from stock order by id;
begin
  for r in c loop
    commit;
    close c;
  end loop;
end $$;
call closes_pinned();
select name from pg_cursors;
create procedure leaves_early() language plpgsql as $$
declare
  c cursor for select id from stock order by id;
begin
  for r in c loop
    commit;
    exit when r.id = 2;
  end loop;
  for r in c loop
    raise notice '%', r.id;
    exit when r.id = 3;
  end loop;
end $$;
call leaves_early();
select name from pg_cursors;
drop procedure by_cursor(), by_arguments(int), keeps_none(), opens_again(), closes_pinned(), leaves_early();
drop table stock;
