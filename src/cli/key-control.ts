import { createControl } from "../app.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { type DevState, isRunning, readDevState } from "./dev-folder.ts";
import { openDatabase } from "./open-database.ts";
import { CommandError } from "./report-failure.ts";

/** A key as commands print it. */
export type KeyRow = {
  id: string;
  prefix: string;
  mode: string;
  status: string;
  label: string | null;
  provider_scope: string;
  models: readonly string[] | null;
  rpm_limit: number | null;
  expires_at: string | null;
  created_at: string;
};

export type NewKeyRow = Pick<KeyRow, "label" | "provider_scope" | "models" | "rpm_limit" | "expires_at"> & {
  mode: "credit" | "token_budget";
};

/** What the key commands can do, whether through a database or through a running gateway. */
export type KeyControl = {
  create: (order: NewKeyRow) => Promise<{ key: KeyRow; secret: string }>;
  list: (page: { limit: number; after?: string }) => Promise<KeyRow[]>;
  revoke: (idOrPrefix: string) => Promise<KeyRow>;
  close: () => Promise<void>;
};

/**
 * The database when the settings name one. Else a `dev` running in this folder, through its admin listener: its database
 * belongs to that one process alone.
 */
export function openKeyControl(loaded: LoadedConfig, folder: string): KeyControl {
  if (loaded.config.database.url !== null) return throughDatabase(loaded);
  const state = readDevState(folder);
  if (state !== null && isRunning(state.pid)) return throughAdmin(state);
  throw new CommandError(
    "there is no database to talk to. Set DATABASE_URL, or run this beside a running `tollgate dev` (in the same folder).",
  );
}

function throughDatabase(loaded: LoadedConfig): KeyControl {
  const database = openDatabase(loaded, () => undefined);
  const { keys, issueKey } = createControl(database);
  type Key = Awaited<ReturnType<typeof keys.insert>>;
  const row = (key: Key): KeyRow => ({
    id: key.id,
    prefix: key.prefix,
    mode: key.mode,
    status: key.status,
    label: key.label,
    provider_scope: key.providerScope,
    models: key.models,
    rpm_limit: key.rpmLimit,
    expires_at: key.expiresAtMs === null ? null : new Date(key.expiresAtMs).toISOString(),
    created_at: new Date(key.createdAtMs).toISOString(),
  });
  return {
    create: async (order) => {
      const { key, secret } = await issueKey({
        mode: order.mode,
        label: order.label,
        providerScope: order.provider_scope,
        models: order.models,
        rpmLimit: order.rpm_limit,
        expiresAtMs: order.expires_at === null ? null : Date.parse(order.expires_at),
      });
      return { key: row(key), secret };
    },
    list: async (page) => (await keys.list(page)).map(row),
    revoke: async (idOrPrefix) => {
      const found = await keys.find(idOrPrefix);
      if (found.length > 1) throw new CommandError(`${found.length} keys have this prefix; name one by its id.`);
      const revoked = found[0] ? await keys.revoke(found[0].id) : null;
      if (!revoked) throw new CommandError("there is no key with this id or prefix. `tollgate keys list` shows them.");
      return row(revoked);
    },
    close: () => database.close(),
  };
}

function throughAdmin({ adminUrl, adminToken }: DevState): KeyControl {
  async function ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${adminUrl}/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
      ...(method === "GET" ? {} : { body: JSON.stringify(body ?? {}) }),
    });
    const answer = (await response.json()) as { error?: { message: string } };
    if (!response.ok) throw new CommandError(answer.error?.message ?? `the gateway answered ${response.status}`);
    return answer as Answer;
  }
  return {
    create: (order) => ask("POST", "/keys", order),
    list: async ({ limit, after }) => {
      const query = new URLSearchParams({ limit: String(limit), ...(after === undefined ? {} : { after }) });
      return (await ask<{ data: KeyRow[] }>("GET", `/keys?${query.toString()}`)).data;
    },
    revoke: async (idOrPrefix) =>
      (await ask<{ key: KeyRow }>("POST", `/keys/${encodeURIComponent(idOrPrefix)}/revoke`)).key,
    close: () => Promise.resolve(),
  };
}
