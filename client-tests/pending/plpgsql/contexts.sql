-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: select statements(48)
select statements(49);
