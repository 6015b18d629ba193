-- file: message
select 'abc' like 'abc', 'abc' like 'a%', 'abc' like '%c', 'abc' like '%b%', 'abc' like '_b_', 'abc' like 'a', 'abc' like '', '' like '', '' like '%', 'abc' like '%', 'abc' like '____', 'abc' like '___%';
select 'abc' not like 'a%', 'abc' not like 'x%', null like 'a', 'a' like null, 'abc' like 'ABC', 'äbc' like '_bc', 'ä' like '_', '😀x' like '_x';
select 'a%c' like 'a\%c', 'abc' like 'a\%c', 'a_c' like 'a\_c', 'abc' like 'a\_c', 'a\c' like 'a\\c', 'a\c' like 'a\c';
select 'a%c' like 'a#%c' escape '#', 'abc' like 'a#%c' escape '#', 'a#c' like 'a##c' escape '#', 'a\c' like 'a\c' escape '', 'a%c' like 'ax%c' escape 'x', 'a_c' not like 'a!_c' escape '!';
select 'abc' like 'abc\';
select 'abc' like 'a%' escape 'xx';
select 'aab' like '%ab', 'aaab' like '%aab', 'abab' like '%ab%ab', 'abab' like '%ab%ab%ab', 'mississippi' like '%iss%ip%', 'mississippi' like '%iss%iss%', 'mississippi' like 'm%i', 'aaaaaaaaaaaaaaaaaaaaaaab' like '%a%a%a%a%a%a%c';
select 'special packages requests' like '%special%requests%', 'specialrequests' like '%special%requests%', 'requests special' like '%special%requests%';
create table likes (s text, p text, c char(6));
insert into likes values ('abc', 'a%', 'abc'), ('abc', '%b', 'abc'), ('a%c', 'a\%c', 'a%c'), ('', '', ''), ('', '_', 'x'), (null, '%', null), ('x', null, 'x'), ('line
two', 'line%two', 'l'), ('trailing ', '%g ', 'g ');
select s, p, s like p, s not like p from likes order by s, p;
select s from likes where s like 'a%' order by s, p;
select s from likes where s not like 'a%' order by s, p;
select c, c like 'abc', c like 'abc%', c like 'a%c', c like 'abc   ', c like '%c' from likes order by c, s, p;
select s from likes where s like '%' || 'b' || '%' order by s;
select 'abc' ilike 'ABC', 'aBc' ilike '%b%', 'abc' not ilike 'A%', 'Ä' ilike 'Ä';
select 1 like '1';
