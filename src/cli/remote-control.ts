import type { OperatorControl } from "./operator-control.ts";
import { CommandError } from "./report-failure.ts";

type Ask = <Answer>(method: string, path: string, body?: unknown) => Promise<Answer>;

/** The same control through the admin listener of a running gateway. */
export function remoteControl(gateway: { adminUrl: string; adminToken: string }): OperatorControl {
  const ask = createAsk(gateway);
  const of = (key: string, rest = ""): string => `/keys/${encodeURIComponent(key)}${rest}`;
  return {
    keys: {
      create: (order) => ask("POST", "/keys", order),
      list: async (page) => (await ask<{ data: [] }>("GET", `/keys?${queryOf(page)}`)).data,
      show: (key) => ask("GET", of(key)),
      changeStatus: (key, change) => ask("POST", of(key, `/${change}`)),
      update: (key, changes) => ask("PATCH", of(key), changes),
      rotate: (key, rotation) => ask("POST", of(key, "/rotate"), rotation),
    },
    funds: {
      show: (key) => ask("GET", of(key, "/account")),
      topUp: (key, topUp) => ask("POST", of(key, "/topups"), topUp),
      setBudget: (key, budget) => ask("POST", of(key, "/budget"), budget),
    },
    showJournal: (key, { limit, before }) =>
      ask("GET", of(key, `/journal?${queryOf({ limit, before: before ?? undefined })}`)),
    verifyLedger: (key) => ask("POST", "/ledger/verify", { key }),
    reportUsage: (key, days) => ask("GET", of(key, `/usage?${queryOf({ days })}`)),
  };
}

/** No answer, or none that says whether it was done. */
class GatewayUnreachableError extends Error {
  override readonly name = "GatewayUnreachableError";
}

/** Verifying reads every charge there is; the rest is done in a moment. */
const TIMEOUT_MS = 30_000;
const VERIFY_TIMEOUT_MS = 3_600_000;

function createAsk({ adminUrl, adminToken }: { adminUrl: string; adminToken: string }): Ask {
  return async <Answer>(method: string, path: string, body?: unknown) => {
    const response = await fetch(`${adminUrl}/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
      signal: AbortSignal.timeout(path === "/ledger/verify" ? VERIFY_TIMEOUT_MS : TIMEOUT_MS),
      ...(method === "GET" ? {} : { body: JSON.stringify(body ?? {}) }),
    }).catch((cause: unknown) => {
      throw new GatewayUnreachableError(`the gateway at ${adminUrl} does not answer`, { cause });
    });
    const answer = (await response.json().catch(() => ({}))) as { error?: { message: string } };
    if (response.ok) return answer as Answer;
    const message = answer.error?.message ?? `the gateway answered ${response.status}`;
    throw response.status >= 500 ? new GatewayUnreachableError(message) : new CommandError(message);
  };
}

const queryOf = (fields: Readonly<Record<string, string | number | undefined>>): string =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ).toString();
