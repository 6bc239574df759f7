import { Conflict } from "../core/conflict.ts";
import type { SealedCredential } from "../core/secret/sealed-credential.ts";
import type { Database, Queryable } from "../db/database.ts";
import { underCatalogueLock } from "./lock-store.ts";
import type { CatalogueDesk, Provider } from "./model.ts";

/** The credential of a row of `provider`, as JSON. Long text in base64 is broken into lines, which are taken out again. */
export const SEALED_CREDENTIAL = `case when provider.credential_box is not null then jsonb_build_object(
  'keyId', provider.credential_key_id, 'box', translate(encode(provider.credential_box, 'base64'), E'\\n', '')) end`;

type StoredRow = { provider: string; baseUrl: string; sealedCredential: SealedCredential };

const LIST = `
  select name as provider, base_url as "baseUrl", ${SEALED_CREDENTIAL} as "sealedCredential"
  from provider where credential_box is not null and ($1::text[] is null or name = any ($1)) order by name`;

const UPDATE = `
  update provider set credential_key_id = d."keyId", credential_box = decode(d.box, 'base64')
  from jsonb_to_recordset($1) as d (provider text, "keyId" text, box text) where name = d.provider`;

export const createResealCredentials =
  (database: Database): CatalogueDesk["resealCredentials"] =>
  (reseal) =>
    underCatalogueLock(database, async (tx) => {
      const changes = (await tx.query<StoredRow>(LIST, [null])).flatMap((row) => {
        const resealed = reseal(row);
        return resealed === null ? [] : [{ provider: row.provider, ...resealed }];
      });
      if (changes.length > 0) await tx.query(UPDATE, [JSON.stringify(changes)]);
    });

/** A stored credential is sealed for one host. A provider that moves to another would be left without, and this says so. */
export async function requireOrigins(tx: Queryable, providers: readonly Provider[]): Promise<void> {
  const kept = providers.filter((provider) => provider.credentialRef === "stored" && !provider.sealedCredential);
  if (kept.length === 0) return;
  const stored = await tx.query<StoredRow>(LIST, [kept.map(({ name }) => name)]);
  for (const { name, baseUrl } of kept) {
    const row = stored.find(({ provider }) => provider === name);
    if (row === undefined || originOf(row.baseUrl) === originOf(baseUrl)) continue;
    throw new Conflict(
      `The stored credential of ${name} is valid only for ${originOf(row.baseUrl)}. To use another host, store it again: with --credential-stdin and --replace, or \`secret\` and \`replace\` in the API.`,
    );
  }
}

const originOf = (baseUrl: string): string => new URL(baseUrl).origin;
