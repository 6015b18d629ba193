-- A statement that fails leaves no rows behind, whatever it had written by then.
create table kept (n integer not null, s text, v numeric(5,2));
insert into kept values (1, 'first', 1.0);
insert into kept values (2, 'a', 1), (3, 'b', 2), (4, 'c', 99999);
select * from kept order by n;
insert into kept values (2, 'a', 1), (3, 'b', 2), (null, 'c', 3);
select * from kept order by n;
create table source (n integer, s text, v numeric(10,2));
insert into source select a.n + 10 * b.n + 100 * c.n, 'row', a.n from (values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) as a (n), (values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) as b (n), (values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) as c (n);
select count(*) from source;
insert into kept select n, s, 1000 / (n - 999) from source;
select * from kept order by n;
insert into kept select n, s, case when n = 998 then 12345 else 1 end from source;
select * from kept order by n;
insert into kept select nullif(n, 997), s, 1 from source;
select * from kept order by n;
insert into kept select n, repeat('long text ', 100), 1 from source;
insert into kept select n, s, 1 / (n - n) from source;
select count(*), sum(n), sum(length(s)) from kept;
copy kept from stdin;
2001	x	1.5
2002	y	2.5
2003	z	bad
\.
select count(*), sum(n) from kept;
copy kept from stdin;
2001	x	1.5
\N	y	2.5
\.
select count(*), sum(n) from kept;
