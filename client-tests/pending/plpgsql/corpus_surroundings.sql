-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: insert into log_lines values ('2020-01-01 00:00+00', 'first'), ('2020-01-02 00:00+00', 'second')
create function event() returns event_trigger language plpgsql as $$
begin
  raise notice '% %', tg_event, tg_tag;
  return;
end $$;

-- behind: select unicode()
create function long_names_are_cut() returns void language plpgsql as $$
declare
  a_name_that_is_longer_than_sixty_three_bytes_and_therefore_is_cut_short integer;
begin
  a_name_that_is_longer_than_sixty_three_bytes_and_therefore_is_cut_shorter := 1;
end $$;
