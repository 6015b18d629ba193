-- file: message detail
create table loaded (a integer check (a > 0), b text constraint no_bad check (b not like 'bad%'), c numeric(38) default 7 constraint wide check (c * c > 10),
                     d integer not null default 1 check (10 / d > 1));
copy loaded (a, b) from stdin;
1	one
2	two
\N	\N
\.
copy loaded (a, b) from stdin;
1	one
0	two
3	bad too
\.
copy loaded (a, b) from stdin csv;
1,one
3,bad or worse and longer than twelve
0,zero
\.
copy loaded from stdin;
4	four	99999999999999999999999999999999999999	2
5	five	3	2
\.
copy loaded from stdin;
4	four	99999999999999999999999999999999999999	2
5	five	4	2
\.
copy loaded (a, d) from stdin;
6	5
7	0
\.
copy loaded (a, d) from stdin;
6	5
-7	0
\.
copy loaded (a, d) from stdin;
-6	\N
\.
copy loaded (a, c) from stdin;
6	1
\.
select * from loaded order by a;
alter table loaded drop b;
alter table loaded add e text check (length(e) * 2 < 20);
copy loaded from stdin;
8	5	5	abc
9	5	5	abcdefghijklmnop
\.
copy loaded from stdin;
8	5	5	abc
9	5	5	ääääääääö
\.
select * from loaded order by a;
