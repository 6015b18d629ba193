-- COPY in text format, in and out. Values hold what the format must escape.
create table copies (i integer, t text, n numeric(8,2), d date, b boolean);
copy copies from stdin;
1	plain	1.50	2020-01-01	t
2	tab\there	\N	\N	f
3	back\\slash	-2	1999-12-31	true
4	line\nfeed\rreturn	0	0001-01-01	\N
5		5	2020-01-01	t
6	\N	6	2020-01-01	t
7	octal\101hex\x42	7	2020-01-01	t
8	ä€😀	8	2020-01-01	t
9	\v\b\f	9	2020-01-01	t
10	\\N	9	2020-01-01	t
\.
copy copies from stdin;
11	\.x	9	2020-01-01	t
\.
select * from copies order by i;
copy copies to stdout;
copy copies (t, i) to stdout;
copy copies to stdout with (delimiter '|');
copy copies to stdout with (null 'nothing');
copy copies to stdout (format text, delimiter ',', null '');
copy copies to stdout with (header);
copy (select i, t from copies where i < 5 order by i desc) to stdout;
copy (select count(*), max(t) from copies) to stdout with (format csv, header);
copy copies to stdout delimiter '|' null 'x';
copy copies (i, t) from stdin with (delimiter '|', null 'none');
20|with	tab
21|none
22|esc\|aped
23|
\.
copy copies (t) from stdin (format text, header);
this is skipped
kept
\.
copy copies from stdin;
\.
select * from copies where i >= 20 or i is null order by i, t;
copy copies from stdin;
x	plain	1.50	2020-01-01	t
\.
copy copies from stdin;
30	plain	1.50	2020-01-01
\.
copy copies from stdin;
30	plain	1.50	2020-01-01	t	more
\.
copy copies from stdin;
30	plain	1.50	2020-13-01	t
\.
copy copies from stdin;
30	plain	1234567.50	2020-01-01	t
\.
copy copies (nosuch) from stdin;
\.
copy nosuch from stdin;
\.
copy copies (i, i) from stdin;
\.
copy nosuch to stdout;
copy copies from stdin with (delimiter 'ab');
\.
copy copies from stdin with (delimiter '');
\.
copy copies from stdin with (delimiter 'a');
\.
copy copies from stdin with (format nosuch);
\.
copy copies from stdin with (nosuch true);
\.
copy copies from stdin with (quote '"');
\.
copy copies to stdout with (null E'a\nb');
select count(*), count(i), sum(i) from copies;
