-- uuid: input in all spellings, output, order, keys, arrays, casts.
select 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid, 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'::uuid, '{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}'::uuid, 'a0eebc999c0b4ef8bb6d6bb9bd380a11'::uuid, 'a0ee-bc99-9c0b-4ef8-bb6d-6bb9-bd38-0a11'::uuid, '{a0eebc99-9c0b4ef8-bb6d6bb9-bd380a11}'::uuid;
select uuid '00000000-0000-0000-0000-000000000000', uuid 'ffffffff-ffff-ffff-ffff-ffffffffffff', null::uuid;
select 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1'::uuid;
select 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a111'::uuid;
select '{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid;
select 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}'::uuid;
select 'g0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid;
select ' a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid;
select 'a0e-ebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid;
select 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11-'::uuid;
select ''::uuid;
create table things (id uuid primary key, n integer, other uuid, list uuid[]);
insert into things values ('00000000-0000-0000-0000-000000000001', 1, null, '{}'), ('7fffffff-0000-0000-0000-000000000000', 2, '00000000-0000-0000-0000-000000000001', '{00000000-0000-0000-0000-000000000001,NULL}'), ('80000000-0000-0000-0000-000000000000', 3, '80000000-0000-0000-0000-000000000000', null), ('ffffffff-ffff-ffff-ffff-ffffffffffff', 4, '7fffffff-0000-0000-0000-000000000000', array['ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid]);
insert into things values ('80000000-0000-0000-0000-000000000000', 5);
insert into things values ('nonsense', 5);
insert into things (id) values (5);
select * from things order by id;
select id from things order by id desc;
select n from things where id = '80000000-0000-0000-0000-000000000000';
select n from things where id > '7fffffff-0000-0000-0000-000000000000' order by n;
select n from things where id between '00000000-0000-0000-0000-000000000001' and '80000000-0000-0000-0000-000000000000' order by n;
select n from things where id in ('80000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000001', null) order by n;
select n from things where id = any ('{80000000-0000-0000-0000-000000000000}') order by n;
select n from things where '00000000-0000-0000-0000-000000000001' = any (list);
select a.n, b.n from things a join things b on a.id = b.other order by 1, 2;
select other, count(*) from things group by other order by other;
select distinct other is null, other = id from things order by 1, 2;
select id = other, id <> other, id < other, id is distinct from other from things order by id;
select n from things where id::text like '8%';
select 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::text::uuid, id::varchar(5) from things where n = 1;
select array_agg(id order by id desc), string_agg(id::text, ',' order by id) from things where n < 3;
select list, list[1], id = any (list) from things order by n;
select coalesce(other, id), nullif(id, other), greatest(id, other), case when n > 2 then id else other end from things order by n;
select max(id) from things;
select min(n), id from things group by id order by id desc limit 1;
select id + 1 from things;
select id = 1 from things;
select id = 'x' from things;
select id || 'x' from things where n = 1;
select 1::uuid;
select '80000000-0000-0000-0000-000000000000'::uuid::integer;
update things set other = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11' where id = 'ffffffff-ffff-ffff-ffff-ffffffffffff' returning *;
delete from things where id = '00000000-0000-0000-0000-000000000001' returning n;
select gen_random_uuid() <> gen_random_uuid(), length(gen_random_uuid()::text), substr(gen_random_uuid()::text, 15, 1), pg_typeof(gen_random_uuid())::text;
select count(distinct gen_random_uuid()) from generate_series(1, 1000);
create table generated (id uuid default gen_random_uuid() primary key, n integer unique);
insert into generated (n) select g from generate_series(1, 500) g;
select count(*), count(distinct id) from generated;
create table referring (id uuid references generated (id), k uuid default 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11');
insert into referring select id from generated where n < 3;
insert into referring values ('00000000-0000-0000-0000-000000000009');
select count(*), min(k::text) from referring;
select count(*) from referring join generated using (id) where n = 2;
copy things (id, n) from stdin;
a0eebc999c0b4ef8bb6d6bb9bd380a12	10
{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a13}	11
\.
copy (select id, other from things order by id) to stdout;
copy things (id, n) from stdin;
x	10
\.
drop table referring, generated;
