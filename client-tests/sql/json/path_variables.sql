-- file: position message
-- Variables of paths: functions have those that they are given, to operators each one is null.
create table measured (id integer, j jsonb);
insert into measured values (1, '{"level": 4, "name": "oak"}'), (2, '{"level": 9, "name": null}'), (3, '[3, 7]'), (4, 'null');
select id, j @? '$.level ? (@ > $least)', j @@ '$.level > $least', j @@ '$.name == $name', j @? '$missing', j @? 'strict $missing.a', j @@ '$missing' from measured order by id;
select id, j @? '$ ? (exists ($missing))', j @? '$ ? (exists ($missing.a))', j @? '$missing.type() ? (@ == "null")', j @? '$[$missing]', j @@ '$missing + 1 == 2', j @? '-$missing', j @@ '$.name starts with $missing', j @? '$missing.keyvalue()' from measured order by id;
select id, jsonb_path_exists_opr(j, '$missing'), jsonb_path_match_opr(j, '$missing == null') from measured order by id;
select jsonb_path_exists(j, '$least') from measured;
select jsonb_path_exists(j, '$least', '{}', true) from measured;
select jsonb_path_exists(j, '$least', '{"most": 1}') from measured;
select jsonb_path_exists(j, '$ ? (exists ($least))') from measured;
select jsonb_path_exists(j, '$ ? (exists ($least))', '{}', true) from measured;
select jsonb_path_match(j, '$least') from measured;
select jsonb_path_match(j, '$.level > $least', '{}', true) from measured;
select jsonb_path_query(j, '$least') from measured;
select jsonb_path_query(j, '$.level ? (@ > $least)', '{}', true) from measured;
select jsonb_path_query_first(j, '$least', '{}', true) from measured;
select jsonb_path_query_array(j, 'strict $least.a', '{}', true) from measured;
select jsonb_path_query_array(j, '$[$least]', '{}', true) from measured;
select id, jsonb_path_exists(j, '$least', '{"least": 5}'), jsonb_path_exists(j, '$.level ? (@ > $least)', '{"least": 5}'), jsonb_path_query_array(j, '$least.a', '{"least": {"a": [1]}}'), jsonb_path_query_first(j, '$none', '{"none": null}') from measured order by id;
drop table measured;
-- Silently, what was found before an error is there.
select jsonb_path_query('[1, "2", 3]', '+$', silent => true);
select jsonb_path_query_array('[{"a": 1}, {"a": 2}, {}, {"a": 3}]', 'strict $[*].a', silent => true);
select jsonb_path_query_first('[{"a": 1}, {"a": 2}, {}]', 'strict $[*].a', silent => true);
select jsonb_path_query('[{"a": 1}, {"a": 2}, {}]', 'strict $[*].a');
select jsonb_path_match('[{"a": true}, {}]', 'strict $[*].a', silent => true);
select jsonb_path_exists('[{"a": 1}, {}]', 'strict $[*].a', silent => true), jsonb_path_exists('[{"a": 1}, {}]', 'lax $[*].a', silent => true);
select jsonb '[{"a": 1}, {}]' @? 'strict $[*].a', jsonb '[true, 1]' @@ 'strict $[0]';
