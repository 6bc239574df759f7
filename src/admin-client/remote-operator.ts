import type { PageRequest } from "../core/page.ts";
import { journalSchema, verificationSchema } from "../wire/admin/books.ts";
import type { budgetSchema, topUpSchema } from "../wire/admin/funds.ts";
import { accountSchema, budgetView, fundedSchema, topUpView } from "../wire/admin/funds.ts";
import type { keyChangeSchema, keyRequestSchema } from "../wire/admin/keys.ts";
import {
  keyAnswerSchema,
  keyChangeView,
  keyListSchema,
  keyMadeSchema,
  keyRequestView,
  keyRotatedSchema,
  keyShownSchema,
  keyStatusSchema,
} from "../wire/admin/keys.ts";
import { quarantineSchema, releasedSchema } from "../wire/admin/quarantine.ts";
import { usageReportSchema } from "../wire/admin/usage.ts";
import type { ReadAs } from "../wire/validate.ts";
import { remoteCatalogue } from "./remote-catalogue.ts";
import { remoteProviders } from "./remote-providers.ts";
import { createAskFor, type GatewayAddress, queryOf } from "./ask-gateway.ts";

/** Verifying reads every charge there is; the rest is done in a moment. */
const VERIFY_TIMEOUT_MS = 3_600_000;
/** For a provider's answer, and for thousands of models at once. */
const PATIENCE_MS = 180_000;

const pageOf = ({ limit, after }: PageRequest): string => queryOf({ limit, after });
const ofKey = (key: string, rest = ""): string => `/keys/${encodeURIComponent(key)}${rest}`;

/** What operators can do, through the admin listener of a running gateway. Who did it is for that gateway to say. */
export function remoteOperator(gateway: GatewayAddress) {
  const ask = createAskFor(gateway);
  const askPatiently = createAskFor(gateway, VERIFY_TIMEOUT_MS);
  return {
    keys: {
      create: (order: ReadAs<typeof keyRequestSchema>) => ask(keyMadeSchema, "POST", "/keys", keyRequestView(order)),
      list: (page: PageRequest) => ask(keyListSchema, "GET", `/keys?${pageOf(page)}`),
      show: (key: string) => ask(keyShownSchema, "GET", ofKey(key)),
      changeStatus: (key: string, change: string) => ask(keyStatusSchema, "POST", ofKey(key, `/${change}`)),
      update: async (key: string, changes: ReadAs<typeof keyChangeSchema>) =>
        (await ask(keyAnswerSchema, "PATCH", ofKey(key), keyChangeView(changes))).key,
      rotate: (key: string, { overlapMs }: { overlapMs: number }) =>
        ask(keyRotatedSchema, "POST", ofKey(key, "/rotate"), { overlap_ms: overlapMs }),
    },
    funds: {
      show: (key: string) => ask(accountSchema, "GET", ofKey(key, "/account")),
      topUp: (key: string, order: ReadAs<typeof topUpSchema>) =>
        ask(fundedSchema, "POST", ofKey(key, "/topups"), topUpView(order)),
      setBudget: (key: string, order: ReadAs<typeof budgetSchema>) =>
        ask(fundedSchema, "POST", ofKey(key, "/budget"), budgetView(order)),
    },
    books: {
      journal: (key: string, page: PageRequest) => ask(journalSchema, "GET", ofKey(key, `/journal?${pageOf(page)}`)),
      verify: (key: string | null) => askPatiently(verificationSchema, "POST", "/ledger/verify", { key }),
    },
    quarantine: {
      list: (page: PageRequest) => ask(quarantineSchema, "GET", `/ledger/quarantine?${pageOf(page)}`),
      release: (request: string, end: string) =>
        ask(releasedSchema, "POST", `/ledger/quarantine/${encodeURIComponent(request)}/release`, { end }),
    },
    usage: (key: string, days: number) => ask(usageReportSchema, "GET", ofKey(key, `/usage?${queryOf({ days })}`)),
    providers: remoteProviders({ ask, askPatiently: createAskFor(gateway, PATIENCE_MS) }),
    catalogue: remoteCatalogue({ ask, askPatiently: createAskFor(gateway, PATIENCE_MS) }),
  };
}
