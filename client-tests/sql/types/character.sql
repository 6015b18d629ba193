-- file: position message
select 'abc', 'it''s', '', E'a\nb\tc\\d\'e', E'\x41\101\u00e4\U0001F600', 'ä€😀', U&'\0041b';
select 'a'
  'b';
select 'a' 'b';
select 'abc'::text, 'abc'::varchar, 'abc'::varchar(2), 'abc'::char(2), 'abc'::char(5), 'abc'::char, 'abc'::character varying(10), cast('abc' as bpchar);
select 'ab  '::char(4) = 'ab', 'ab  '::text = 'ab', 'ab  '::varchar(4) = 'ab', 'ab'::char(4) = 'ab'::char(10), 'ab '::char(3) || 'c', 'ab '::char(3)::text || 'c';
select length('ab  '::char(4)), length('ab  '::text), char_length('ä€😀'), octet_length('ä€😀'), octet_length('ab'::char(4)), length('');
select 'a' < 'b', 'a' < 'B', 'ab' > 'a', 'ä' > 'z', '' < 'a', 'abc' = 'abc', 'abc' <> 'ABC', 'a' >= 'a', 'Z' < 'a';
select 'a' || 'b', 'a' || 1, 1 || 'a', 'a' || null, 'a' || 1.50, 'a' || true, 'a' || date '2020-01-01', 'x'::char(3) || 'y'::char(3), 'a'::varchar || 'b'::text;
select 1 || 2;
select '12'::integer + 1, '1.5'::text::numeric, '2020-01-01'::varchar::date;
select 'äöü'::varchar(2), 'äöü'::char(2), 'äöü'::char(5);
create table characters (id integer, t text, v varchar(5), c char(5), w varchar);
insert into characters values (1, 'text', 'var', 'char', 'w'), (2, '', '', '', ''), (3, null, null, null, null), (4, 'ä€😀', 'ä€😀äö', 'ä€😀äö', 'ä€'), (5, 'trailing   ', 'tr   ', 'tr   ', 'tr   '), (6, 'exactly twelve chars and more than that', '12345', '12345', 'twelve bytes'), (7, 'a twelve b t', 'x', 'x', 'a twelve b u');
select * from characters order by id;
select id, length(t), length(v), length(c), octet_length(t), octet_length(v), octet_length(c) from characters order by id;
select id, t || '|', v || '|', c || '|', '[' || c::text || ']' from characters order by id;
select id, t = v, v = c, t = c, c = 'tr', v = 'tr', t < c from characters order by id;
select t from characters order by t;
select c, count(*) from characters group by c order by c;
select min(t), max(t), min(v), max(v), min(c), max(c), count(distinct t) from characters;
insert into characters (id, v) values (8, '123456');
insert into characters (id, c) values (8, '123456');
insert into characters (id, v, c) values (8, '12345     ', '12345     ');
insert into characters (id, v) values (9, 'äöüäöü');
insert into characters (id, v, c) values (10, 12345, 12.5);
select id, v, c, length(v) from characters where id >= 8 order by id;
select repeat('x', 100000) = repeat('x', 100000), length(repeat('ä', 50000));
insert into characters (id, t) values (11, repeat('0123456789', 100000));
select id, length(t), substring(t from 999990 for 11) from characters where length(t) > 100;
select count(*) from characters where t = repeat('0123456789', 100000);
select 'a
b' as two_lines, 'tab	here';
select 'null byte: ' || E'\x00';
