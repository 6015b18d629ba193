-- A subtransaction that was made read only was so for itself.
create table read_only_parts (a int);
begin;
savepoint one;
set transaction read only;
show transaction_read_only;
insert into read_only_parts values (1);
rollback to one;
set transaction read only;
release one;
show transaction_read_only;
insert into read_only_parts values (2);
savepoint two;
savepoint three;
set local transaction_read_only = on;
release three;
insert into read_only_parts values (3);
savepoint three;
set transaction read only;
release two;
insert into read_only_parts values (4);
commit;
select * from read_only_parts order by a;
begin read only;
savepoint one;
release one;
insert into read_only_parts values (5);
rollback;
do $$
begin
  begin
    perform set_config('transaction_read_only', 'on', true);
    insert into read_only_parts values (6);
  exception when read_only_sql_transaction then
    raise notice 'refused';
  end;
  insert into read_only_parts values (7);
  begin
    perform set_config('transaction_read_only', 'on', true);
  exception when others then
    raise notice 'never';
  end;
  insert into read_only_parts values (8);
end $$;
select * from read_only_parts order by a;
-- message
begin read only;
select 1;
savepoint one;
-- message
set transaction read write;
rollback;
-- message
begin read only;
select 1;
-- message
set transaction read write;
rollback;
drop table read_only_parts;
