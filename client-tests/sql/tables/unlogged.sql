-- UNLOGGED: the same as any other table, to who reads and writes it.
create unlogged table ul (a integer primary key, b text);
insert into ul values (1, 'x'), (2, 'y');
select * from ul order by a;
create unlogged table ul_as as select a * 2 as a from ul;
select * from ul_as order by a;
create index ul_b on ul (b);
select relname, relpersistence from pg_class where relname in ('ul', 'ul_as', 'ul_b', 'ul_pkey') order by 1;
drop table ul, ul_as;
