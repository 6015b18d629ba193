-- file: message detail hint context objects notices
-- Programs: a bank with transfers, an audit trail by triggers, a queue.
create schema bank;
set search_path = bank, public;
create table accounts (id int primary key, owner text not null, balance numeric(12,2) not null check (balance >= 0), currency char(3) not null default 'EUR', closed boolean not null default false);
create table postings (id bigint generated always as identity primary key, account_id int not null references accounts, amount numeric(12,2) not null, note text);
create table rates (from_currency char(3), to_currency char(3), rate numeric(10,5), primary key (from_currency, to_currency));
insert into accounts values (1, 'Ada', 1000, 'EUR', false), (2, 'Bob', 50.5, 'EUR', false), (3, 'Cy', 0, 'USD', false), (4, 'Di', 10, 'EUR', true);
insert into rates values ('EUR', 'USD', 1.1), ('USD', 'EUR', 0.9);
create function converted(amount numeric, source char(3), target char(3)) returns numeric language plpgsql stable as $$
declare
  factor numeric;
begin
  if source = target then
    return amount;
  end if;
  select rate into strict factor from rates where from_currency = source and to_currency = target;
  return round(amount * factor, 2);
exception
  when no_data_found then
    raise exception 'no rate from % to %', source, target using errcode = 'BA001', hint = 'Add a row to rates.';
end $$;
create function transfer(source int, target int, amount numeric, note text default null) returns numeric language plpgsql as $$
declare
  s accounts%rowtype;
  t accounts%rowtype;
  arrives numeric(12,2);
begin
  if amount is null or amount <= 0 then
    raise exception 'amount must be positive, not %', coalesce(amount::text, 'null') using errcode = 'invalid_parameter_value';
  end if;
  if source = target then
    raise exception 'source and target are the same account %', source;
  end if;
  -- The same order always, against deadlocks.
  perform 1 from accounts where id in (source, target) order by id for update;
  select * into s from accounts where id = source;
  if not found then
    raise exception 'no account %', source using errcode = 'no_data_found';
  end if;
  select * into t from accounts where id = target;
  if t.id is null then
    raise exception 'no account %', target using errcode = 'no_data_found';
  end if;
  if s.closed or t.closed then
    raise exception 'account % is closed', case when s.closed then s.id else t.id end using detail = format('owner is %s', case when s.closed then s.owner else t.owner end);
  end if;
  arrives := converted(amount, s.currency, t.currency);
  update accounts set balance = balance - amount where id = source returning balance into s.balance;
  update accounts set balance = balance + arrives where id = target;
  insert into postings (account_id, amount, note) values (source, -amount, note), (target, arrives, note);
  return s.balance;
end $$;
select transfer(1, 2, 100, 'rent');
select transfer(1, 3, 100);
select transfer(3, 2, 55.55, 'back');
select transfer(2, 1, 5000);
select transfer(1, 2, -5);
select transfer(1, 2, null);
select transfer(1, 1, 5);
select transfer(1, 99, 5);
select transfer(99, 1, 5);
select transfer(1, 4, 5);
insert into accounts values (5, 'Eve', 100, 'GBP');
select transfer(5, 1, 5);
select * from accounts order by id;
select account_id, amount, note from postings order by id;
create function try_transfer(source int, target int, amount numeric) returns text language plpgsql as $$
declare
  left_over numeric;
  what text;
begin
  left_over := transfer(source, target, amount);
  return 'left ' || left_over;
exception
  when check_violation then
    get stacked diagnostics what = constraint_name;
    return 'not enough: ' || what;
  when no_data_found then
    return 'unknown: ' || sqlerrm;
  when sqlstate 'BA001' then
    return 'currency: ' || sqlerrm;
  when raise_exception or invalid_parameter_value then
    return 'refused: ' || sqlerrm;
end $$;
select try_transfer(1, 2, 10), try_transfer(2, 1, 99999), try_transfer(1, 77, 1), try_transfer(5, 1, 1), try_transfer(1, 4, 1), try_transfer(1, 2, 0);
select count(*), sum(amount) from postings;
create procedure monthly_interest(percent numeric, batch int default 2) language plpgsql as $$
declare
  a record;
  n int := 0;
begin
  for a in select id, balance from accounts where not closed order by id loop
    update accounts set balance = round(balance * (1 + percent / 100), 2) where id = a.id;
    insert into postings (account_id, amount, note) values (a.id, round(a.balance * percent / 100, 2), 'interest');
    n := n + 1;
    if n % batch = 0 then
      commit;
      raise notice 'committed after %', n;
    end if;
  end loop;
  if n = 0 then
    rollback;
  end if;
end $$;
call monthly_interest(1.5);
call monthly_interest(0, 100);
select id, balance from accounts order by id;
create function statement_of(account int) returns table (line int, amount numeric, balance numeric, note text) language plpgsql stable as $$
declare
  p postings;
begin
  line := 0;
  balance := 0;
  for p in select * from postings where account_id = account order by id loop
    line := line + 1;
    balance := balance + p.amount;
    amount := p.amount;
    note := coalesce(p.note, '(none)');
    return next;
  end loop;
  if line = 0 then
    raise warning 'account % has no postings', account;
  end if;
end $$;
select * from statement_of(1);
select * from statement_of(2) where amount > 0;
select * from statement_of(99);
create table audit (id serial primary key, tbl text, op text, key text, old_row jsonb, new_row jsonb, changed text[]);
create function audit_changes() returns trigger language plpgsql as $$
declare
  o jsonb;
  n jsonb;
  changed text[] := '{}';
  field text;
begin
  if tg_op <> 'INSERT' then o := to_jsonb(old); end if;
  if tg_op <> 'DELETE' then n := to_jsonb(new); end if;
  if tg_op = 'UPDATE' then
    for field in select jsonb_object_keys(n) order by 1 loop
      if n -> field is distinct from o -> field then
        changed := changed || field;
      end if;
    end loop;
    if changed = '{}' then
      return null;
    end if;
  end if;
  insert into audit (tbl, op, key, old_row, new_row, changed) values (tg_table_name, tg_op, coalesce(n, o) ->> tg_argv[0], o, n, changed);
  return null;
end $$;
create trigger audited after insert or update or delete on accounts for each row execute function audit_changes('id');
create trigger audited after insert or update or delete on rates for each row execute function audit_changes('from_currency');
insert into accounts (id, owner, balance) values (6, 'Flo', 5);
update accounts set owner = 'Florence', balance = 6 where id = 6;
update accounts set owner = owner;
update accounts set balance = -5 where id = 6;
delete from accounts where id = 6;
update rates set rate = 1.2 where from_currency = 'EUR';
select try_transfer(1, 2, 10);
select tbl, op, key, changed, old_row ->> 'balance' as before, new_row ->> 'balance' as after from audit order by id;
create function restore(audit_id int) returns text language plpgsql as $$
declare
  a audit;
  r accounts;
begin
  select * into strict a from audit where id = audit_id;
  if a.op <> 'DELETE' or a.tbl <> 'accounts' then
    raise exception 'audit row % is no deleted account', audit_id;
  end if;
  r.id := a.old_row ->> 'id';
  r.owner := a.old_row ->> 'owner';
  r.balance := a.old_row ->> 'balance';
  r.currency := a.old_row ->> 'currency';
  r.closed := (a.old_row ->> 'closed')::boolean;
  insert into accounts values (r.*);
  return r.owner;
end $$;
select restore(3);
select restore(1);
select restore(1000);
select * from accounts where id = 6;
create table queue (id serial primary key, payload text not null, state text not null default 'new', tries int not null default 0, error text);
create function enqueue(variadic payloads text[]) returns int language plpgsql as $$
declare
  p text;
  n int := 0;
begin
  foreach p in array payloads loop
    insert into queue (payload) values (p);
    n := n + 1;
  end loop;
  return n;
end $$;
create function process_one() returns text language plpgsql as $$
declare
  job queue;
  result numeric;
begin
  select * into job from queue where state = 'new' order by id for update skip locked limit 1;
  if not found then
    return null;
  end if;
  begin
    execute 'select ' || job.payload into result;
    update queue set state = 'done', tries = tries + 1, error = null where id = job.id;
    return job.payload || ' = ' || result;
  exception
    when division_by_zero or data_exception then
      update queue set state = case when tries >= 1 then 'failed' else 'new' end, tries = tries + 1, error = sqlerrm where id = job.id;
      return job.payload || ': ' || sqlerrm;
    when others then
      update queue set state = 'broken', tries = tries + 1, error = sqlstate || ' ' || sqlerrm where id = job.id;
      return job.payload || ' is broken';
  end;
end $$;
create procedure work(inout processed int, inout failed int) language plpgsql as $$
declare
  r text;
begin
  processed := 0;
  loop
    r := process_one();
    exit when r is null;
    processed := processed + 1;
    raise notice '%', r;
    commit;
  end loop;
  select count(*) into failed from queue where state <> 'done';
end $$;
select enqueue('1 + 1', '1 / 0', '2 * 21', 'nosuch', 'sqrt(-1)', '''x''::int', 'length(''abc'')');
call work(null, null);
select * from queue order by id;
select process_one();
select enqueue('6 * 7');
begin;
select process_one();
rollback;
select state from queue where payload = '6 * 7';
