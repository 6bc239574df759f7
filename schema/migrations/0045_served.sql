-- Why: what a charge was computed from: the upstream model, the credential, the tier and the region; and counts that have no column. Charges of before
-- name none of them, and stand for what everybody is served.
-- Locks: exclusive on hold, on charge and its partitions and on charge_in_words, for a moment; a column without a default rewrites no row.
-- Compatible: programs from 0039 on.

create table served (
  no int generated always as identity primary key,
  provider text not null check (length(provider) <= 300),
  upstream_model text not null check (length(upstream_model) <= 300),
  credential text not null check (length(credential) <= 300),
  tier text not null check (length(tier) <= 100),
  region text not null check (length(region) <= 100),
  said text not null check (length(said) <= 100),
  unique (provider, upstream_model, credential, tier, region, said)
);

create trigger served_is_final before update or delete on served for each row execute function journal_is_final();
create trigger served_is_kept before truncate on served for each statement execute function journal_is_final();

-- Functions that run as the owner of the tables read it, whoever migrates.
do $$
begin
  execute format('alter table served owner to %I', (select pg_get_userbyid(relowner) from pg_class where oid = 'migration'::regclass));
end $$;

alter table hold add column checkpoint_served int, add column checkpoint_more jsonb;
alter table charge add column served int, add column more jsonb;

create or replace view charge_in_words as
  select c.hold_id, c.admitted_at, c.at, c.xid, h.key_id, c.key_no, c.chain, h.accounts, k.name as kind, c.granted_credits, c.granted_tokens,
         c.credits, c.tokens, m.word as model, c.price_version, p.word as provider, c.status, c.input, coalesce(c.cache_read, 0) as cache_read,
         coalesce(c.cache_write, 0) as cache_write, coalesce(c.cache_write_1h, 0) as cache_write_1h, c.output,
         coalesce(c.reasoning, 0) as reasoning, c.tools, c.first_byte_ms, c.took_ms, c.estimated, c.reported, c.digest,
         s.upstream_model, s.credential, coalesce(s.tier, 'default') as tier, coalesce(s.region, 'any') as region, s.said, c.more
    from charge c
    join charge_kind k on k.no = c.kind
    left join chain h on h.id = c.chain
    left join word m on m.no = c.model
    left join word p on p.no = c.provider
    left join served s on s.no = c.served;
