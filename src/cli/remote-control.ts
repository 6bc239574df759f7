import { createAsk, type GatewayAddress, queryOf } from "../admin-client/ask-gateway.ts";
import type { OperatorControl } from "./operator-control.ts";

/** Verifying reads every charge there is; the rest is done in a moment. */
const VERIFY_TIMEOUT_MS = 3_600_000;

/** The same control through the admin listener of a running gateway. */
export function remoteControl(gateway: GatewayAddress): OperatorControl {
  const ask = createAsk(gateway);
  const askPatiently = createAsk(gateway, VERIFY_TIMEOUT_MS);
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
    showJournal: (key, page) => ask("GET", of(key, `/journal?${queryOf(page)}`)),
    verifyLedger: (key) => askPatiently("POST", "/ledger/verify", { key }),
    quarantine: {
      list: (limit) => ask("GET", `/ledger/quarantine?${queryOf({ limit })}`),
      release: (request, end) => ask("POST", `/ledger/quarantine/${encodeURIComponent(request)}/release`, { end }),
    },
    reportUsage: (key, days) => ask("GET", of(key, `/usage?${queryOf({ days })}`)),
  };
}
