-- COPY's less common options: forced quotes and NULLs, WHERE, rows of changes.
create table listed (i integer primary key, t text, n numeric(8,2) default 1.5);
copy listed (i, t) from stdin where i > 2;
1	one
2	two
3	three
4	four
\.
copy listed from stdin where n is null or t like 'f%';
5	five	5
6	six	\N
7	seven	7
8	\N	\N
9	\N	9
\.
select * from listed order by i;
-- WHERE comes before constraints.
copy listed (i, t) from stdin where i is not null and i <> 3;
\N	null
3	three again
10	ten
\.
copy listed (i, t) from stdin where 1 / (i - 12) < 5;
11	eleven
12	twelve
\.
select count(*) from listed;
copy listed from stdin where nosuch = 1;
1	a	1
\.
copy listed from stdin where i;
1	a	1
\.
copy listed from stdin where count(*) > 1;
1	a	1
\.
copy listed from stdin where (select true);
1	a	1
\.
copy listed from stdin with (format csv) where listed.i % 2 = 0 and t is not null;
20,twenty,20
21,twenty one,21
22,,22
\.
select * from listed order by i;
copy listed (i, t, n) to stdout with (format csv, force_quote *);
copy listed to stdout with (format csv, force_quote (t));
copy listed to stdout with (format csv, force_quote (n, i), header);
copy listed (t) to stdout with (format csv, force_quote (t), null 'none');
copy (select i as x, t from listed where i < 5) to stdout with (format csv, force_quote (x));
copy listed to stdout csv force quote t;
copy listed to stdout csv force quote *;
-- message
copy listed to stdout with (force_quote *);
-- message
copy listed to stdout with (format csv, force_quote (nosuch));
-- message
copy listed (i) to stdout with (format csv, force_quote (t));
-- message
copy (select 1 as x) to stdout with (format csv, force_quote (t));
-- message
copy listed to stdout with (format csv, force_null (t));
-- message
copy listed to stdout with (format csv, force_not_null (t));
-- message
copy listed to stdout with (format csv, force_quote 'x');
truncate listed;
copy listed from stdin with (format csv, force_not_null (t));
1,,1
2,"",2
\.
copy listed from stdin with (format csv, force_null (t, n));
3,"",""
4,,
5,"x","5"
\.
copy listed from stdin with (format csv, force_null (t), force_not_null (t), null 'nil');
6,nil,6
7,"nil",7
8,"n""il",8
\.
copy listed from stdin csv force not null t;
9,,9
\.
select i, t, t is null as is_null, n from listed order by i;
-- message
copy listed from stdin with (force_null (t));
1	a	1
\.
-- message
copy listed from stdin with (format csv, force_not_null (nosuch));
1,a,1
\.
-- message
copy listed from stdin with (format csv, force_null *);
1,a,1
\.
-- message
copy listed from stdin with (format csv, force_quote (t));
1,a,1
\.
copy (insert into listed values (30, 'thirty', 30), (31, null, 31) returning i, t) to stdout;
copy (update listed set n = n + 1 where i = 30 returning *) to stdout csv header;
copy (delete from listed where i >= 30 returning i, n) to stdout;
-- message
copy (insert into listed values (40)) to stdout;
copy (insert into listed values (1) returning i) to stdout;
copy (values (1, 'a'), (2, null)) to stdout;
select count(*) from listed;
-- message
copy listed to stdout with (format binary, delimiter ',');
-- message
copy listed to stdout with (format binary, null 'x');
-- message
copy listed to stdout with (format binary, header);
-- message
copy listed to stdout with (format binary, quote 'x');
-- message
copy listed to stdout with (format binary, force_quote *);
-- message
copy listed to 'relative';
-- message
copy listed to '/nosuch/folder/file';
-- message
copy listed from '/nosuch/folder/file';
-- message
copy listed from '/tmp';
-- message
copy listed to '/tmp';
