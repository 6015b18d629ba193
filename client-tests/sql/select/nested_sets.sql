-- Functions that return sets, of others.
select generate_series(1, generate_series(1, 3));
select generate_series(1, 2), generate_series(1, generate_series(1, 3));
select generate_series(1, generate_series(1, generate_series(1, 3))) as n, 'x';
select unnest(array[generate_series(1, 2), 5]), generate_series(1, 3);
select unnest(regexp_matches('a1b2', '([a-z])(\d)', 'g'));
select array(select unnest(regexp_matches('a1b2', '([a-z])(\d)', 'g')));
select unnest(string_to_array(unnest(array['a,b', 'c', null, 'd,e,f']), ','));
create table set_rows (i integer, t text);
insert into set_rows values (1, 'x y'), (2, 'z'), (3, null);
select i, generate_series(1, generate_series(1, i)) as n from set_rows order by i, n;
select i, upper(unnest(regexp_split_to_array(unnest(string_to_array(t, ' ')), ''))) as c from set_rows order by i, c;
select generate_series(1, generate_series(1, i)) + i as n, count(*) from set_rows group by n order by n;
select distinct generate_series(1, generate_series(1, 3)) as n order by n;
select count(*) from (select generate_series(1, generate_series(1, 100))) as q;
select generate_series(1, generate_series(1, 3)) limit 4;
select * from generate_series(1, generate_series(1, 2));
select sum(generate_series(1, generate_series(1, 2)));
select case when true then generate_series(1, generate_series(1, 2)) end;
