-- A row that moves is tested where it comes to lie.
create table hp (a int, b text) partition by list (a);
create table hp1 partition of hp (check (b <> 'two')) for values in (1);
create table hp2 partition of hp for values in (2);
create function tf() returns trigger language plpgsql as $$ begin return new; end $$;
create trigger bt before update on hp for each row execute function tf();
insert into hp values (1, 'one');
update hp set a = 2, b = 'two' returning *;
update hp set a = 1;
update hp set a = 3;
merge into hp using (values (2, 1, 'x')) as v(a, to_a, b) on hp.a = v.a when matched then update set a = v.to_a, b = v.b;
select tableoid::regclass::text, * from hp;
merge into hp using (values (1, 1, 'two')) as v(a, to_a, b) on hp.a = v.a when matched then update set a = v.to_a, b = v.b;
merge into hp using (values (1, 2, 'two')) as v(a, to_a, b) on hp.a = v.a when matched then update set a = v.to_a, b = v.b;
select tableoid::regclass::text, * from hp;
drop table hp;
drop function tf;
