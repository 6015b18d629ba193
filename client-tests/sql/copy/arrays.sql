-- COPY of arrays, in and out.
create table copied (id integer, i integer[], t text[], n numeric(6,2)[], b bytea[]);
copy copied from stdin;
1	{1,2,NULL}	{a,"b c","d\\"e"}	{1.5}	{"\\\\x01"}
2	{}	{}	{}	{}
3	\N	\N	\N	\N
4	[0:1]={5,6}	{"tab\there","line\nfeed"}	{{1,2},{3,4}}	\N
\.
copy copied to stdout;
copy copied (id, t) to stdout csv;
copy (select array_agg(id order by id), array_agg(t[1] order by id) from copied) to stdout;
copy copied (id, i) from stdin csv;
5,"{1,2}"
6,{}
7,
\.
copy copied to stdout csv header;
copy copied (id, i) from stdin;
8	{1,x}
\.
copy copied (id, i) from stdin;
8	{1,2
\.
select * from copied order by id;
