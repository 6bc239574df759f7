import type { PartChange } from "../core/catalogue/catalogue-change.ts";
import type { Queryable } from "../db/database.ts";
import type { CatalogueDescription } from "./model.ts";

type Apply = (tx: Queryable, description: CatalogueDescription) => Promise<PartChange[]>;

/*
 * Each of these writes all rows of its kind in one statement and returns only those that differ from what was there.
 * In `returning`, a row that was inserted has no older version, which PostgreSQL shows as `xmax = 0`.
 */

export const applyProviders: Apply = (tx, { providers }) =>
  write(tx, "provider", {
    rows: providers,
    sql: `
      insert into provider (name, base_url, credential_ref, credential_key_id, credential_box, unknown_members,
                            open_members, context_window, traceparent, platform)
      select d.name, d."baseUrl", d."credentialRef", d."sealedCredential" ->> 'keyId',
             decode(d."sealedCredential" ->> 'box', 'base64'), d."unknownMembers", d."openMembers",
             d."windowCheck", d.traceparent, d.platform
      from jsonb_to_recordset($1) as d (name text, "baseUrl" text, "credentialRef" text, "sealedCredential" jsonb,
                                        "unknownMembers" text, "openMembers" text[], "windowCheck" text, traceparent text,
                                        platform text)
      on conflict (name) do update set
        base_url = excluded.base_url, credential_ref = excluded.credential_ref,
        unknown_members = excluded.unknown_members, open_members = excluded.open_members,
        context_window = excluded.context_window, traceparent = excluded.traceparent,
        platform = excluded.platform,
        -- A credential that is found elsewhere from now on leaves nothing behind; one that does not come along stays.
        credential_key_id = case when excluded.credential_ref = 'stored'
                                 then coalesce(excluded.credential_key_id, provider.credential_key_id) end,
        credential_box = case when excluded.credential_ref = 'stored'
                              then coalesce(excluded.credential_box, provider.credential_box) end
      where (provider.base_url, provider.credential_ref, provider.unknown_members, provider.open_members,
             provider.context_window, provider.traceparent, provider.platform)
            is distinct from
            (excluded.base_url, excluded.credential_ref, excluded.unknown_members, excluded.open_members,
             excluded.context_window, excluded.traceparent, excluded.platform)
            or excluded.credential_box is not null
      returning name, xmax = 0 as added`,
  });

export const applyModels: Apply = (tx, { models }) =>
  write(tx, "model", {
    // Prices and routes have statements of their own.
    rows: models.map((model) => ({ ...model, price: undefined, upcomingPrices: undefined, routes: undefined })),
    sql: `
      insert into model
        (id, owned_by, provider, display_name, tagline, context_window, max_output_tokens, output_ceiling,
         output_floor, token_factor, capabilities)
      select d.id, d."ownedBy", d.provider, d."displayName", d.tagline, d."contextWindow", d."maxOutputTokens",
             d."outputCeiling", d."outputFloor", d."tokenFactor", d.capabilities
      from jsonb_to_recordset($1) as d (id text, "ownedBy" text, provider text, "displayName" text, tagline text,
                                        "contextWindow" int, "maxOutputTokens" int, "outputCeiling" int,
                                        "outputFloor" int, "tokenFactor" double precision, capabilities jsonb)
      on conflict (id) do update set
        owned_by = excluded.owned_by, provider = excluded.provider, display_name = excluded.display_name,
        tagline = excluded.tagline, context_window = excluded.context_window,
        max_output_tokens = excluded.max_output_tokens, output_ceiling = excluded.output_ceiling,
        output_floor = excluded.output_floor, token_factor = excluded.token_factor, capabilities = excluded.capabilities
      where (model.owned_by, model.provider, model.display_name, model.tagline, model.context_window,
             model.max_output_tokens, model.output_ceiling, model.output_floor, model.token_factor, model.capabilities)
            is distinct from
            (excluded.owned_by, excluded.provider, excluded.display_name, excluded.tagline, excluded.context_window,
             excluded.max_output_tokens, excluded.output_ceiling, excluded.output_floor, excluded.token_factor,
             excluded.capabilities)
      returning id as name, xmax = 0 as added`,
  });

/** Costs are written by themselves. */
export const applyRoutes: Apply = (tx, { models }) =>
  write(tx, "route", {
    rows: models.flatMap(({ id, routes }) => routes.map((route) => ({ id, ...route, cost: undefined }))),
    sql: `
      insert into route (model_id, provider, upstream_model, dialect, conformant, priority, weight,
                         connect_timeout_ms, first_byte_timeout_ms, idle_timeout_ms, concurrency_limit, region)
      select d.id, d.provider, d."upstreamModel", d.dialect, d.conformant, d.priority, d.weight,
             d."connectTimeoutMs", d."firstByteTimeoutMs", d."idleTimeoutMs", d."concurrencyLimit", d.region
      from jsonb_to_recordset($1) as d (id text, provider text, "upstreamModel" text, dialect text, conformant boolean,
                                        priority int, weight int, "connectTimeoutMs" int, "firstByteTimeoutMs" int,
                                        "idleTimeoutMs" int, "concurrencyLimit" int, region text)
      on conflict (model_id, provider, upstream_model, dialect) do update set
        conformant = excluded.conformant, priority = excluded.priority, weight = excluded.weight,
        connect_timeout_ms = excluded.connect_timeout_ms, first_byte_timeout_ms = excluded.first_byte_timeout_ms,
        idle_timeout_ms = excluded.idle_timeout_ms, concurrency_limit = excluded.concurrency_limit,
        region = excluded.region
      where (route.conformant, route.priority, route.weight, route.connect_timeout_ms, route.first_byte_timeout_ms,
             route.idle_timeout_ms, route.concurrency_limit, route.region)
            is distinct from
            (excluded.conformant, excluded.priority, excluded.weight, excluded.connect_timeout_ms,
             excluded.first_byte_timeout_ms, excluded.idle_timeout_ms, excluded.concurrency_limit, excluded.region)
      returning model_id || ' via ' || provider || '/' || upstream_model || ' (' || dialect || ')' as name,
                xmax = 0 as added`,
  });

async function write(
  tx: Queryable,
  kind: "provider" | "model" | "route",
  { rows, sql }: { rows: readonly object[]; sql: string },
): Promise<PartChange[]> {
  if (rows.length === 0) return [];
  const changes = await tx.query<{ name: string; added: boolean }>(sql, [JSON.stringify(rows)]);
  return changes.map(({ name, added }) => ({ kind, name, change: added ? "added" : "changed" }));
}
