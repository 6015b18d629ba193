-- regexp_match, regexp_split_to_array, regexp_split_to_table.
select regexp_match('foobarbequebaz', 'bar.*que'), regexp_match('foobarbequebaz', '(bar)(beque)'), regexp_match('abc', 'x'), regexp_match('ABC', 'b', 'i'), regexp_match(null, 'a'), regexp_match('a', null);
select (regexp_match('2020-01-02', '(\d+)-(\d+)-(\d+)'))[2], regexp_match('', ''), regexp_match('abc', '');
select regexp_match('abc', 'b', 'g');
select regexp_match('abc', '(');
select regexp_split_to_array('the quick  brown', '\s+'), regexp_split_to_array('abc', ''), regexp_split_to_array('', ','), regexp_split_to_array('a,b,,c,', ','), regexp_split_to_array(',a', ','), regexp_split_to_array('aXbxc', 'x', 'i'), regexp_split_to_array('abc', 'x'), regexp_split_to_array('äöü', '');
select regexp_split_to_array('abc', 'b', 'g');
select regexp_split_to_array('hello world', '\s*'), regexp_split_to_array(' hello ', '\s*'), regexp_split_to_array('aabbaa', 'a*'), regexp_split_to_array(null, 'a');
select * from regexp_split_to_table('a1b22c', '\d+') with ordinality as t(v, i);
select regexp_split_to_table('x y  z', '\s+');
create table regex_rows (id integer, t text, p text);
insert into regex_rows values (1, 'a,b;c', '[,;]'), (2, 'long enough to be no inline text', ' '), (3, null, 'x'), (4, 'abc', null), (5, 'aXb', 'x');
select id, regexp_match(t, p), regexp_split_to_array(t, p), regexp_match(t, '(\w)\W*(\w)') from regex_rows order by id;
select id, w from regex_rows, regexp_split_to_table(t, p) w order by id, w;
select id, cardinality(regexp_split_to_array(t, ' ')) from regex_rows order by id;
