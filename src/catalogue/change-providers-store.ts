import { Conflict } from "../core/conflict.ts";
import { Fault } from "../core/fault.ts";
import type { Database, Queryable } from "../db/database.ts";
import { applyProviders } from "./apply-catalogue-store.ts";
import { underCatalogueLock } from "./lock-store.ts";
import type { CatalogueDesk, Provider, ProviderOverview } from "./model.ts";
import { requireOrigins, SEALED_CREDENTIAL } from "./stored-credential-store.ts";

const LIST = `
  select provider.name, base_url as "baseUrl", credential_ref as "credentialRef",
         unknown_members as "unknownMembers", open_members as "openMembers",
         provider.context_window as "windowCheck", provider.traceparent, provider.platform,
         ${SEALED_CREDENTIAL} as "sealedCredential", coalesce(
    jsonb_agg(jsonb_build_object(
      'id', route.id, 'modelId', route.model_id, 'published', model.published, 'upstreamModel', route.upstream_model,
      'dialect', route.dialect, 'conformant', route.conformant
    ) order by route.model_id, route.priority, route.id) filter (where route.id is not null), '[]') as routes
  from provider left join route on route.provider = provider.name left join model on model.id = route.model_id
  where ($1::text is null or provider.name = $1) and ($2::text is null or provider.name > $2)
  group by provider.name
  order by provider.name
  limit $3::int`;

const STRANDED = `
  select id from model where published and id = any ($1) and not exists (select from route where model_id = model.id)
  order by id`;

const NAMED_MODELS = 20;

type ProviderDesk = Pick<CatalogueDesk, "listProviders" | "findProvider" | "addProvider" | "removeProvider">;

export function createProviderDesk(database: Database): ProviderDesk {
  return {
    listProviders: (page) => database.query<ProviderOverview>(LIST, [null, page?.after ?? null, page?.limit ?? null]),
    findProvider: (name) => findProvider(database, name),
    addProvider: (provider, present) =>
      underCatalogueLock(database, async (tx) => {
        const found = await findProvider(tx, provider.name);
        if (found !== null && present === "keep" && differs(found, provider)) {
          const what = `${found.baseUrl} with the credential ${found.credentialRef}`;
          throw new Conflict(
            `Provider ${provider.name} already exists at ${what}. To change it, use --replace, or \`replace\` in the API.`,
          );
        }
        await requireOrigins(tx, [provider]);
        return applyProviders(tx, { providers: [provider], models: [] });
      }),
    removeProvider: (name, routes) =>
      underCatalogueLock(database, async (tx) => {
        const found = await findProvider(tx, name);
        if (found === null) throw new Fault("not_found", `There is no provider ${JSON.stringify(name)}.`);
        const published = found.routes.filter((route) => route.published).map(({ modelId }) => modelId);
        if (published.length > 0 && routes === "keep") throw new Conflict(refusal(name, [...new Set(published)]));
        await tx.query("delete from route where provider = $1", [name]);
        await tx.query("delete from provider where name = $1", [name]);
        const stranded = await tx.query<{ id: string }>(STRANDED, [published]);
        return {
          name,
          withdrawn: found.routes.map(
            ({ modelId, upstreamModel, dialect }) => `${modelId} via ${name}/${upstreamModel} (${dialect})`,
          ),
          stranded: stranded.map(({ id }) => id),
        };
      }),
  };
}

/** A credential that comes along counts as another one: only its holder could tell whether it is. */
const differs = (found: Provider, asked: Provider): boolean =>
  found.baseUrl !== asked.baseUrl ||
  found.credentialRef !== asked.credentialRef ||
  Boolean(asked.sealedCredential) ||
  termsOf(found) !== termsOf(asked);

const termsOf = ({
  unknownMembers = null,
  openMembers = null,
  windowCheck = null,
  traceparent = null,
  platform = null,
}: Provider): string => JSON.stringify([unknownMembers, openMembers, windowCheck, traceparent, platform]);

async function findProvider(tx: Queryable, name: string): Promise<ProviderOverview | null> {
  const [found = null] = await tx.query<ProviderOverview>(LIST, [name, null, 1]);
  return found;
}

function refusal(name: string, models: readonly string[]): string {
  const named = models.slice(0, NAMED_MODELS).join(", ");
  const more = models.length > NAMED_MODELS ? ` and ${models.length - NAMED_MODELS} more` : "";
  return `Published models have routes to ${name}: ${named}${more}. Unpublish them first, or remove these routes too with --force, or ?routes=withdraw in the API.`;
}
