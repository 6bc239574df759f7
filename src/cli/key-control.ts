import { type Control, createControl } from "../app.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { type DevState, isRunning, readDevState } from "./dev-folder.ts";
import { openDatabase } from "./open-database.ts";
import { CommandError } from "./report-failure.ts";

/** What the key commands can do, whether through a database or through a running gateway. */
export type KeyControl = Control["keys"] & { close: () => Promise<void> };

export type KeyRow = Awaited<ReturnType<KeyControl["revoke"]>>;

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
  return { ...createControl(database).keys, close: () => database.close() };
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
