-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: insert into accounts values (5, 'Eve', 100, 'GBP')
select transfer(5, 1, 5);

-- behind: create table audit (id serial primary key, tbl text, op text, key text, old_row jsonb, new_row jsonb, changed text[])
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
