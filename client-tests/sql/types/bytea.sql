-- file: position message
select '\xDEADBEEF'::bytea, '\x'::bytea, ''::bytea, bytea 'abc', E'\\xAb0F'::bytea, cast('\x 01 02' as bytea), '\x01
02	03'::bytea;
select 'a\\b'::bytea, 'a\001\377z'::bytea, E'a\\134b\\000'::bytea, 'ä€😀'::bytea, '\\x41'::bytea, '\X'::bytea;
select '\xzz'::bytea;
select '\xabc'::bytea;
select '\x0é'::bytea;
select '\x 1 2'::bytea;
select 'a\9'::bytea;
select 'a\'::bytea;
select 'a\400'::bytea;
select 'a\12'::bytea;
select '\x1'::text::bytea;
select 'a\8'::text::bytea;
select '\x0102'::text::bytea, 'abc'::varchar(2)::bytea, 'ab'::char(5)::bytea, '\x61'::bytea::text, '\x6162'::bytea::varchar(3), '\x6162'::bytea::char(8);
select cast('\x0102' as bytea(3));
select '\x01'::bytea::integer;
select 1::bytea;
select true::bytea;
select null::bytea, pg_typeof('\x01'::bytea)::text;
-- Comparison is by bytes, then by length.
select '\x01'::bytea = '\x01', '\x01'::bytea <> '\x0100', '\x01'::bytea < '\x0100', '\xff'::bytea > '\x7f', ''::bytea < '\x00', '\x0100'::bytea <= '\x0100', '\x00'::bytea >= '';
select '\x01'::bytea = '\x01'::text;
select '\x01'::bytea = 1;
select '\x01'::bytea + '\x01'::bytea;
select - '\x01'::bytea;
select '\x01'::bytea || '\x02', '\x03' || '\x01'::bytea, '\x01'::bytea || null, '\x01'::bytea || 'a\\b', ''::bytea || '\x00000000000000000000000000000000';
select '\x01'::bytea || 'abc'::text, 'abc'::text || '\x01'::bytea, 'x'::varchar || '\x01'::bytea, '\x01'::bytea || 'x'::char(3);
select 1 || '\x01'::bytea;
select '\x01'::bytea is distinct from null, '\x01'::bytea is not distinct from '\x01', null::bytea is distinct from null, '\x01'::bytea is null;
select '\x01'::bytea in ('\x02', '\x01'), '\x01'::bytea not in ('\x02', null), '\x05'::bytea in ('\x00', '\x01', '\x02', '\x03', '\x04', '\x05', '\x06', '\x07', '\x08', '\x09'), '\x01'::bytea between '\x00' and '\x0100', '\x02'::bytea between symmetric '\x03' and '\x01';
select case when true then '\x01'::bytea else '\x02' end, coalesce(null, '\x01'::bytea, '\x02'), nullif('\x01'::bytea, '\x01'), nullif('\x01'::bytea, '\x02'), greatest('\x01'::bytea, '\x0100', null), least('\x01'::bytea, '\x00');
select case when true then '\x01'::bytea else 'a'::text end;
select coalesce('\x01'::bytea, 1);
select case '\x01'::bytea when '\x02' then 1 when '\x01' then 2 end;
-- LIKE counts bytes; a backslash in the pattern is written twice.
select '\x6162'::bytea like 'a%', 'ab'::bytea like '_b', 'ä'::bytea like '_', 'ä'::bytea like '__', 'a_b'::bytea like 'a\\_b', 'axb'::bytea like 'a\134_b', '\x610062'::bytea like '\x6100%', '\x61'::bytea like '\x6100%', '\x6100'::bytea like '\x6100%', 'abc'::bytea not like '%c', '\xff80'::bytea like '%\200', null::bytea like 'a';
select 'a_b'::bytea like 'a\_b';
select 'a_b'::bytea like 'a#_b' escape '#';
select 'a_b'::bytea like 'a#_b'::bytea escape '#', 'axb'::bytea like 'a#_b' escape '#'::bytea, 'a\_b'::bytea like 'a\\_b'::bytea escape '';
select 'a_b'::bytea like 'a#_b'::bytea escape '##';
select 'a_b'::bytea like 'a#_b'::bytea escape '#'::text;
select 'ab\'::bytea like 'ab'::bytea;
select 'abx'::bytea like 'ab\\'::bytea;
select 'a'::bytea ilike 'A';
select 'a'::bytea ~~ 'a'::text;
create table octets (id integer not null, b bytea, t text default '\x41'::bytea, d bytea not null default '\x00ff');
insert into octets values (1, '\x01', '\x0102'), (2, '', 'a\\b'), (3, null, null), (4, '\x000102030405060708090a0b', 'twelve bytes'), (5, '\x000102030405060708090a0b0c', 'ä'), (6, '\x000102030405060708090a0b0d', E'\\'), (7, '\x00010203', '%'), (8, 'abcdefghijklmnop', 'a%'), (9, '\x01', '_');
insert into octets (id) values (10);
insert into octets (id, b) values (11, '\xf');
insert into octets (id, b) values (11, 12);
insert into octets (id, b) values (11, 'x'::text);
insert into octets (id, t) values (12, '\x6162'::bytea);
-- detail
insert into octets (id, b, t, d) values (13, '\x00ff', repeat('ä', 100), null);
-- detail
insert into octets (id, b, t, d) values (13, repeat('x', 32)::bytea, repeat('y', 64), null);
select * from octets order by id;
select id, b::text, b || '\x00', length(b), octet_length(b), t || b from octets order by id;
select id, b = '\x01', b <> '\x01', b < '\x01', b <= '\x00010203', b > '\x00010203', b >= '\x000102030405060708090a0b0c', b = d, b < d, b is distinct from '\x01' from octets order by id;
select b from octets order by b nulls first, id;
select id from octets order by b desc, id;
select b, count(*), count(b) from octets group by b order by b;
select distinct b from octets;
select distinct b, d from octets order by b, d;
select count(distinct b), count(b), count(distinct d) from octets;
select one.id, two.id from octets one join octets two on one.b = two.b order by 1, 2;
select one.id, two.id from octets one left join octets two on one.b = two.d order by 1, 2;
select one.id, two.id from octets one join octets two on one.b < two.b where two.id in (4, 5, 6) order by 1, 2;
select id from octets where b in ('\x01', '\x000102030405060708090a0b0c', '\x02') order by id;
select id from octets where b in ('\x01', '\x000102030405060708090a0b0c', '\x02', '\x03', '\x04', '\x05', '\x06', '\x07', '', '\x09', '\x0a') order by id;
select id from octets where b between '\x00' and '\x00ff' order by id;
select id from octets where b like '\x000102%' order by id;
select id, b like '%' || d, b like b, d like '%_', b like t::bytea from octets where id not in (6) order by id;
select id, case when id % 2 = 0 then b else d end, coalesce(b, d), nullif(b, '\x01'), greatest(b, d), least(b, d) from octets order by id;
select id, cast(t as bytea) from octets where id in (1, 2, 4, 5, 7) order by id;
select t::bytea from octets where id = 6;
select min(b) from octets;
select max(b) from octets;
select sum(b) from octets;
select avg(b) from octets;
select b from octets where b;
select * from octets where b = 'a\';
select id, b::integer from octets;
select d, d::text from octets where id = 1;
set bytea_output = escape;
select d, d::text from octets where id = 1;
show bytea_output;
select '\x00615c7f80'::bytea, '\x00615c7f80'::bytea::text, 'x' || '\x80'::bytea, ''::bytea;
select id, b, t, b::text, length(b::text) from octets order by id;
insert into octets (id, t) values (14, '\x80ff'::bytea);
-- detail
insert into octets (id, b, d) values (13, '\x00ff5c', null);
-- detail
copy octets (id, b, d) from stdin;
13	\\x00ff5c	\N
\.
copy octets (id, b, t) from stdin;
15	\\x0102	x
16	a\\001b\\\\c	y
\.
copy octets (id) from stdin;
17
\.
select id, b, t, d from octets where id >= 14 order by id;
set bytea_output = 'HEX';
select id, b, t from octets where id >= 14 order by id;
set bytea_output = base64;
show bytea_output;
reset bytea_output;
select d, d::text from octets where id = 1;
show bytea_output;
