alter table borne rename column key_id to whose;
alter table borne add column account boolean not null default false, add column unit unit;
update borne m set unit = coalesce((select mode_unit from balance b where b.key_id = m.whose), 'credit');
alter table borne alter column unit set not null, drop constraint borne_pkey, add primary key (whose, account, unit, minute);
alter table person add column capped_at timestamptz;
