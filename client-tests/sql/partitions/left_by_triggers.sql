-- file: message detail context
-- A trigger of a partition, or of its table, may put a new row elsewhere.
create table p (a int, b int check (b > 0)) partition by range (a);
create table p1 partition of p for values from (1) to (10);
copy p from stdin;
5	1
50	1
\.
copy p1 from stdin;
5	1
50	1
\.
copy p1 from stdin;
5	1
50	0
\.
copy p from stdin;
5	1
50	0
\.
copy p from stdin;
5	0
\.
copy p from stdin csv;
5,1
"50","1"
\.
create function bt() returns trigger language plpgsql as $$ begin if new.b = 7 then new.a := 5; else new.a := 60; end if; return new; end $$;
create trigger bt before insert on p1 for each row execute function bt();
copy p1 from stdin;
50	7
\.
copy p1 from stdin;
5	8
\.
copy p from stdin;
5	8
\.
insert into p values (5, 8);
insert into p values (5, 0);
insert into p1 values (5, 8);
insert into p1 values (5, 0);
merge into p using (values (1)) v(x) on false when not matched then insert values (5, 8);
drop trigger bt on p1;
create trigger bt before insert on p for each row execute function bt();
copy p1 from stdin;
50	7
\.
copy p1 from stdin;
5	8
\.
copy p from stdin;
5	8
\.
insert into p values (5, 8);
merge into p using (values (1)) v(x) on false when not matched then insert values (5, 8);
update p set a = 3;
create table p2 partition of p for values from (10) to (20);
update p set a = 15;
update p set a = 15, b = 8;
select tableoid::regclass::text, * from p order by 1,2,3;
drop table p; drop function bt;
