-- COPY in csv format, in and out.
create table sheets (i integer, t text, n numeric(8,2), d date);
copy sheets from stdin csv;
1,plain,1.50,2020-01-01
2,"quo""ted",,
3,"com,ma",-2,1999-12-31
4,"two
lines",0,2020-01-01
5,"",5,2020-01-01
6,,6,2020-01-01
7,back\slash\N,7,2020-01-01
8, spaced ,8,2020-01-01
9,mid"dle quo"te,9,2020-01-01
10,\N,10,2020-01-01
\.
select * from sheets order by i;
copy sheets to stdout csv;
copy sheets to stdout with (format csv, header);
copy sheets to stdout with (format csv, header true, delimiter ';', null 'NULL');
copy sheets to stdout with (format csv, quote '''', escape '\');
copy sheets (i, t) from stdin with (format csv, header, delimiter ';', quote '''', escape '\', null 'nil');
i;t
20;'it\'s'
21;nil
22;'semi;colon'
23;'nil'
24;
\.
copy sheets (i, t) from stdin with (format csv, header match);
i,t
25,matched
\.
copy sheets (i, t) from stdin with (format csv, header match);
i,wrong
26,matched
\.
copy sheets (i, t) from stdin with (format csv, null '');
27,
28,""
\.
select * from sheets where i >= 20 order by i;
copy sheets (i, t) from stdin csv;
30,"unterminated
\.
copy sheets (i, t) from stdin csv;
30
\.
copy sheets (i, t) from stdin csv;
30,a,b
\.
copy sheets (i, t) from stdin csv;
x,a
\.
copy sheets from stdin with (format csv, delimiter '"');
\.
copy sheets from stdin with (format csv, quote 'ab');
\.
copy sheets from stdin with (format csv, escape 'ab');
\.
select count(*), sum(i) from sheets;
copy (values ('\.'), ('a\.'), ('plain')) to stdout csv;
copy (values ('\.', 1), ('x', 2)) to stdout csv;
copy (select '\.') to stdout with (format csv, quote '''', delimiter ';');
