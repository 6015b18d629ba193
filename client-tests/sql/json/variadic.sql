-- file: position message hint
-- json_build_array and json_build_object of the elements of an array.
create table listed (id integer, names text[], counts integer[], prices numeric(8,2)[], days date[]);
insert into listed values (1, '{elm,tall,ash,old}', '{4,40}', '{1.5,2}', '{2021-03-04,infinity}'), (2, '{}', null, '{}', '{}'), (3, null, '[3:4]={7,8}', '{3,null}', null), (4, '{{fir,green},{yew,null}}', '{{1,2},{3,4}}', '{-0.05,1000}', '{2021-03-04,2021-03-05}');
select id, json_build_array(variadic names), jsonb_build_array(variadic names), json_build_array(variadic counts), jsonb_build_array(variadic prices), json_build_array(variadic days) from listed order by id;
select id, json_build_object(variadic names), jsonb_build_object(variadic names), json_build_object(variadic counts), jsonb_build_object(variadic counts), jsonb_build_object(variadic days) from listed order by id;
select json_build_array(variadic array['{"a":  1}'::json, '[2]']), jsonb_build_array(variadic array['{"a":  1}'::jsonb, '"x"']), json_build_array(variadic array[true, null]), json_build_array(variadic array[row(1, 'a'), row(2, null)]), jsonb_build_array(variadic array['NaN'::float8, 0.5]), json_build_array(variadic array[interval '1 day']), json_build_array(variadic '3 5'::int2vector);
select json_build_object(variadic '{}'::text[]), jsonb_build_object(variadic array[1.50, 2.250]);
select json_build_object(variadic array['elm']);
select jsonb_build_object(variadic array['elm', 'tall', 'ash']);
select json_build_object(variadic array['elm', 'tall', null, 'old']);
select jsonb_build_object(variadic array[null, 'tall']);
select json_build_object(variadic array['{}'::json, '{}']);
select jsonb_build_object(variadic array['{}'::jsonb, '{}']);
select json_build_array(variadic null);
select json_build_array(variadic 5);
select jsonb_build_object(variadic 'elm'::text);
select json_build_array('elm', variadic array[1]);
select concat(variadic null);
select num_nulls(variadic null);
create view listed_view as select id, json_build_array(variadic names) as a, jsonb_build_object(variadic counts) as o from listed;
select * from listed_view order by id;
prepare listing(integer[]) as select jsonb_build_array(variadic $1), json_build_object(variadic $1);
execute listing('{1,2}');
execute listing('{1}');
execute listing(null);
deallocate listing;
drop view listed_view;
drop table listed;
