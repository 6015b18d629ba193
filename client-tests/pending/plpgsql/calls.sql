-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: delete from t where id = 7 and note('deleted') > 0 returning note('gone')
select what from log order by at;

-- behind: create function stable_snapshot(k int) returns int language plpgsql stable as $$ begin return (select v from t where id = k); end $$
select sees_itself(1), stable_snapshot(1), value_of(1);

-- behind: create table function_key (k int)
create unique index on function_key (plus(k));

-- behind: insert into function_key values (1)
create index volatile_index on function_key (note('x'));
