alter table subscriber add primary key (s_id);
alter table subscriber add unique (sub_nbr);
alter table access_info add primary key (s_id, ai_type);
alter table special_facility add primary key (s_id, sf_type);
alter table call_forwarding add primary key (s_id, sf_type, start_time);
alter table access_info add foreign key (s_id) references subscriber (s_id);
alter table special_facility add foreign key (s_id) references subscriber (s_id);
alter table call_forwarding add foreign key (s_id, sf_type) references special_facility (s_id, sf_type);
