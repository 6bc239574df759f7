import { isSpoken } from "../core/request/dialect.ts";
import type { ModelTerms } from "../core/catalogue/model-terms.ts";
import type { Queryable } from "../db/database.ts";
import type { Route } from "../core/catalogue/route.ts";
import { type AcceptedRow, acceptedOf } from "./accept-alarms-store.ts";
import type { Model, CataloguePage } from "./model.ts";
import { SEALED_CREDENTIAL } from "./stored-credential-store.ts";
import { NEWER, PRICE_AS_JSON, priceOf, type PriceRow } from "./price/price-book-store.ts";

type ModelRow = ModelTerms & {
  createdAt: Date;
  price: PriceRow | null;
  upcomingPrices: PriceRow[];
  acceptedAlarms: AcceptedRow;
  routes: Route[];
  published: boolean;
  suspendedFor: string | null;
};

/** A model, and what only operators see of it. `suspendedFor`: its price in force lacks this part. */
export type ReadModel = { model: Model; published: boolean; suspendedFor: string | null };

/** One statement, so that models, prices and routes are of one moment. */
const READ = `
  select m.id, m.created_at as "createdAt", m.owned_by as "ownedBy", m.provider, m.display_name as "displayName",
         m.tagline, m.context_window as "contextWindow", m.max_output_tokens as "maxOutputTokens",
         m.output_ceiling as "outputCeiling", m.output_floor as "outputFloor", m.token_factor as "tokenFactor",
         m.capabilities, m.accepted_alarms as "acceptedAlarms", p.price, u.upcoming_prices as "upcomingPrices", r.routes, m.published,
         p.suspended_for as "suspendedFor"
  from model m
  left join lateral (
    select case when coalesce(suspended_for, '${NEWER}') = '${NEWER}' then ${PRICE_AS_JSON} end as price,
           nullif(suspended_for, '${NEWER}') as suspended_for
    from price
    where model_id = m.id and withdrawn_at is null and effective_from <= $1
    order by effective_from desc, version desc limit 1
  ) p on true
  cross join lateral (
    select coalesce(jsonb_agg(${PRICE_AS_JSON} order by effective_from, version), '[]') as upcoming_prices from price
    where model_id = m.id and withdrawn_at is null and effective_from > $1
  ) u
  cross join lateral (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', route.id, 'provider', provider.name, 'baseUrl', provider.base_url, 'credentialRef', provider.credential_ref,
      'sealedCredential', ${SEALED_CREDENTIAL},
      'unknownMembers', provider.unknown_members, 'openMembers', provider.open_members,
      'windowCheck', provider.context_window, 'traceparent', provider.traceparent,
      'platform', provider.platform,
      'upstreamModel', route.upstream_model, 'dialect', route.dialect, 'conformant', route.conformant,
      'priority', route.priority, 'weight', route.weight, 'connectTimeoutMs', route.connect_timeout_ms,
      'firstByteTimeoutMs', route.first_byte_timeout_ms, 'idleTimeoutMs', route.idle_timeout_ms,
      'concurrencyLimit', route.concurrency_limit, 'region', route.region
    ) order by route.priority, route.weight desc, provider.name, route.id), '[]') as routes
    from route join provider on provider.name = route.provider
    where route.model_id = m.id
  ) r
  where (m.published or $2) and ($3::text is null or m.id = $3) and ($4::text is null or m.id > $4)
  order by m.id
  limit $5::int`;

type Selection = {
  atMs: number;
  which: "published" | "all";
  /** Only the model of this id. */
  id?: string;
  page?: CataloguePage;
};

export async function readModels(database: Queryable, { atMs, which, id, page }: Selection): Promise<ReadModel[]> {
  const bounds = [id ?? null, page?.after ?? null, page?.limit ?? null];
  const rows = await database.query<ModelRow>(READ, [new Date(atMs), which === "all", ...bounds]);
  return rows.map(readModelOf);
}

const readModelOf = ({
  createdAt,
  published,
  suspendedFor,
  price,
  upcomingPrices,
  acceptedAlarms,
  routes,
  ...row
}: ModelRow): ReadModel => ({
  model: {
    ...row,
    createdAtMs: createdAt.getTime(),
    price: price === null ? null : priceOf(price),
    upcomingPrices: upcomingPrices.map(priceOf),
    acceptedAlarms: acceptedOf(acceptedAlarms),
    routes: routes.filter(({ dialect }) => isSpoken(dialect)),
  },
  published,
  suspendedFor,
});
