-- What is stored as a text means the same as what was written.
create table p (a integer, b numeric, c text, e timestamp, g integer[]);
insert into p values (1, 2, '1', '2020-01-01 10:00', '{1}'), (null, null, null, null, null);
create view p1 as select (e at time zone 'UTC')::text as v1, (a = 1 or a = 2)::text as v2, (not true)::text as v3, (not (a = 1))::text as v4, (e at time zone 'UTC' at time zone 'UTC')::text as v5, e at time zone ('U' || 'TC') as v6, (e + interval '1 day') at time zone 'UTC' as v7, (not (a = 1)) is null as v8, (not (a = 1)) is true as v9, (not (a = 1)) is not unknown as v10 from p;
select * from p1 order by 1;
create view p2 as select (array[1, 2])[1] as v1, (array[1, 2])[1]::text as v2, (array[array[1, 2]])[1][2] as v3, (case when true then g end)[1] as v4, (coalesce(g, '{}'))[1] as v5, (array(select 7))[1] as v6, (greatest(g, g))[1] as v7, (string_to_array('a,b', ','))[2] as v8, (g || 1)[2] as v9, (g::integer[])[1] as v10, (select g)[1] as v11, ('{5,6}'::integer[])[2] as v12 from p;
select * from p2 order by 1, 4;
create view p3 as select (a between 0 and 1) between false and true as v1, true between (a between 0 and 1) and (a = 1 or b = 2) as v2, (not (a = 1))::integer + 1 as v3, (a = 1 or a = 2)::integer + 1 as v4, (e at time zone 'UTC')::date as v5, (c is not null and c <> '')::integer::boolean::text as v6, (a is null) is null as v7, (a is null) is true as v8, ((a = 1) is true) is null as v9, (a = 1 and b = 2) is null as v10, (a is null) between (b is null) and (c is null) as v11 from p;
select * from p3 order by 3;
create view p4 as select (not true) = (not (a = 1)) as v1, (not (a = 1)) in (true, false) as v2, (not (a = 1)) is distinct from (not true) as v3, not (not (a = 1)) as v4, (a is null) = (b is null) as v5, (c || 'x') collate "C" as v6, (c collate "C") || 'y' as v7, - (- a) as v8, (- a) ^ 2 as v9, - (a ^ 2) as v10, 2 ^ (- 1) as v11, (a - (b - 1)) as v12, (a in (1, 2)) in (true) as v13, ((a, b) = (1, 2))::text as v14, ((a, b) is null)::text as v15, (exists (select 1))::text as v16, (a in (select 1))::text as v17, (a = any (g))::text as v18, (c like '1')::text as v19, (not (c like '1'))::text as v20, (a is distinct from 1)::text as v21, (case when a = 1 then 2 end)::text as v22, (c similar to '1') is true as v23, (1 < 2) = (a < 2) as v24 from p;
select * from p4 order by 8;
create table q (a integer default (not (1 = 2))::integer, b date default ('2020-01-01 10:00'::timestamp at time zone 'UTC' at time zone 'UTC')::date, c boolean default (not true) is null, d text, e integer generated always as ((a = 1 or a = 2)::integer + 1) stored, check (((not (a = 3)) is not null)), check ((a = 1 or d is null)::text <> 'false'));
insert into q default values returning *;
insert into q (a) values (null);
insert into q (a, d) values (3, 'x');
create index on q (((not (a = 1))::text), ((array[a, 2])[1]));
select count(*) from q where (not (a = 1))::text = 'false';
drop view p1, p2, p3, p4;
