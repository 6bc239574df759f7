-- The numbers of ways in which requests are served, made for those that are new; in the order in which they were named.
create or replace function served_v1(
  p_provider text[], p_model text[], p_credential text[], p_tier text[], p_region text[], p_said text[]
) returns setof int language plpgsql as $$
begin
  insert into served (provider, upstream_model, credential, tier, region, said)
  select distinct q.*
    from unnest(p_provider, p_model, p_credential, p_tier, p_region, p_said) q (provider, model, credential, tier, region, said)
   where not exists (select from served s where s.provider = q.provider and s.upstream_model = q.model and s.credential = q.credential
                       and s.tier = q.tier and s.region = q.region and s.said = q.said)
   order by 1, 2, 3, 4, 5, 6
  on conflict do nothing;
  return query
    select s.no
      from unnest(p_provider, p_model, p_credential, p_tier, p_region, p_said)
             with ordinality q (provider, model, credential, tier, region, said, place)
      join served s on s.provider = q.provider and s.upstream_model = q.model and s.credential = q.credential and s.tier = q.tier
                   and s.region = q.region and s.said = q.said
     order by q.place;
end
$$;
