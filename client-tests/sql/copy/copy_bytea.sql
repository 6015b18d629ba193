-- COPY of bytea in both formats of the setting, text and csv.
create table bytes_copied (id integer, b bytea);
copy bytes_copied from stdin;
1	\\x00ff
2	\\xDEADbeef
3	\N
4	
5	abc
6	a\\001\\\\b
7	\\x01 02	
\.
copy bytes_copied from stdin;
1	\\x00ff
2	\\xDEADbeef
3	\N
4	
5	abc
6	a\\001\\\\b
7	\\x01 02
8	a\\\\x
9	tab\there
10	ä
11	\\x000102030405060708090a0b0c0d0e0f
\.
-- message position
copy bytes_copied from stdin;
12	\\x0g
\.
-- message position
copy bytes_copied from stdin;
12	\\x012
\.
-- message position
copy bytes_copied from stdin;
12	a\\9
\.
-- One backslash less: COPY itself takes \x00 as a byte.
copy bytes_copied from stdin;
13	\x41\x42
14	\101\\102
\.
copy bytes_copied from stdin csv;
20,\x00ff
21,"\x41,"
\.
copy bytes_copied from stdin csv;
20,\x00ff
21,
22,""
23,"a,b""c\\"
24,\x5c2c22
\.
select * from bytes_copied order by id;
copy (select * from bytes_copied order by id) to stdout;
copy (select * from bytes_copied order by id) to stdout csv;
copy (select * from bytes_copied order by id) to stdout (format csv, header, delimiter '|', quote '''', escape '\');
copy (select * from bytes_copied order by id) to stdout (delimiter 'A');
copy (select b from bytes_copied order by id) to stdout (format csv, delimiter ';', null '\x00ff');
set bytea_output = escape;
copy (select * from bytes_copied order by id) to stdout;
copy (select * from bytes_copied order by id) to stdout csv;
copy (select b from bytes_copied order by id) to stdout csv;
