import type { PageRequest } from "../core/page.ts";
import { limitRemovedSchema, limitSchema, limitSetSchema, type whichLimitSchema } from "../wire/admin/limit.ts";
import { journalSchema, verificationSchema, verificationsSchema, type verifySchema } from "../wire/admin/books.ts";
import type { budgetSchema, topUpSchema } from "../wire/admin/funds.ts";
import { budgetView, fundedSchema, keyFundsSchema, topUpView } from "../wire/admin/funds.ts";
import type { keyChangeSchema, KeyRequestOrder } from "../wire/admin/keys.ts";
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
import { caller } from "../wire/admin/people.ts";
import { movedPurseSchema, movePurseView, outstandingSchema } from "../wire/admin/outstanding.ts";
import { quarantineSchema, releasedSchema } from "../wire/admin/quarantine.ts";
import { statementSchema } from "../wire/admin/statement.ts";
import { usageReportSchema } from "../wire/admin/usage.ts";
import { type ReadAs, written } from "../wire/validate.ts";
import { ACCOUNTS } from "../contract/accounts.ts";
import { AUDIT } from "../contract/audit.ts";
import { CLIENT_SESSIONS } from "../contract/client-sessions.ts";
import { NOTICES } from "../contract/notices.ts";
import { PEOPLE } from "../contract/people.ts";
import { TOKENS } from "../contract/tokens.ts";
import { askOperations } from "./ask-operations.ts";
import { remoteCatalogue } from "./remote-catalogue.ts";
import { remoteLive } from "./remote-live.ts";
import { remoteProviders } from "./remote-providers.ts";
import { remoteRequests, remoteSeries } from "./remote-requests.ts";
import { createAskFor, createOpenEvents, type GatewayAddress, queryOf } from "./ask-gateway.ts";

/** Verifying reads every charge there is; the rest is done in a moment. */
const VERIFY_TIMEOUT_MS = 3_600_000;
/** For a provider's answer, and for thousands of models at once. */
const PATIENCE_MS = 180_000;

const pageOf = ({ limit, after }: PageRequest): string => queryOf({ limit, after });
const ofKey = (key: string, rest = ""): string => `/keys/${encodeURIComponent(key)}${rest}`;
/** `of` null is everybody. */
type Holder = { kind: "key" | "account"; name: string };
const ofHolder = (of: Holder | null, rest: string): string =>
  of === null ? rest : `/${of.kind}s/${encodeURIComponent(of.name)}${rest}`;

const remoteClosedPurses = (ask: ReturnType<typeof createAskFor>) => ({
  move: (purse: number, to: Holder | null) =>
    ask(movedPurseSchema, "POST", `/ledger/closed-purses/${purse}/move`, movePurseView(to)),
});

/** What operators can do, through the admin listener of a running gateway. Who did it is for that gateway to say. */
export function remoteOperator(gateway: GatewayAddress) {
  const ask = createAskFor(gateway);
  const askPatiently = createAskFor(gateway, VERIFY_TIMEOUT_MS);
  return {
    keys: {
      create: (order: KeyRequestOrder) => ask(keyMadeSchema, "POST", "/keys", keyRequestView(order)),
      list: (page: PageRequest) => ask(keyListSchema, "GET", `/keys?${pageOf(page)}`),
      show: (key: string) => ask(keyShownSchema, "GET", ofKey(key)),
      changeStatus: (key: string, change: string) => ask(keyStatusSchema, "POST", ofKey(key, `/${change}`)),
      update: async (key: string, changes: ReadAs<typeof keyChangeSchema>) =>
        (await ask(keyAnswerSchema, "PATCH", ofKey(key), keyChangeView(changes))).key,
      rotate: (key: string, { overlapMs }: { overlapMs: number }) =>
        ask(keyRotatedSchema, "POST", ofKey(key, "/rotate"), { overlap_ms: overlapMs }),
      move: (key: string, account: string) => ask(keyStatusSchema, "POST", ofKey(key, "/move"), { account }),
      adopt: (key: string, account: string) => ask(keyStatusSchema, "POST", ofKey(key, "/adopt"), { account }),
      setLimit: (key: string, limit: ReadAs<typeof limitSchema>) =>
        ask(limitSetSchema, "POST", ofKey(key, "/limits"), written(limitSchema, limit)),
      removeLimit: (key: string, which: ReadAs<typeof whichLimitSchema>) =>
        ask(limitRemovedSchema, "POST", ofKey(key, "/limits/remove"), which),
    },
    accounts: askOperations(ACCOUNTS, ask),
    funds: {
      show: (key: string) => ask(keyFundsSchema, "GET", ofKey(key, "/funds")),
      topUp: (key: string, order: ReadAs<typeof topUpSchema>) =>
        ask(fundedSchema, "POST", ofKey(key, "/topups"), topUpView(order)),
      setBudget: (key: string, order: ReadAs<typeof budgetSchema>) =>
        ask(fundedSchema, "POST", ofKey(key, "/budget"), budgetView(order)),
    },
    books: {
      journal: (of: Holder, page: PageRequest) => ask(journalSchema, "GET", ofHolder(of, `/journal?${pageOf(page)}`)),
      showOutstanding: () => ask(outstandingSchema, "GET", "/ledger/outstanding"),
      verify: (asked: ReadAs<typeof verifySchema>) => askPatiently(verificationSchema, "POST", "/ledger/verify", asked),
      listVerifications: () => ask(verificationsSchema, "GET", "/ledger/verifications"),
    },
    closedPurses: remoteClosedPurses(ask),
    quarantine: {
      list: (page: PageRequest) => ask(quarantineSchema, "GET", `/ledger/quarantine?${pageOf(page)}`),
      release: (request: string, end: string) =>
        ask(releasedSchema, "POST", `/ledger/quarantine/${encodeURIComponent(request)}/release`, { end }),
    },
    usage: {
      report: ({ of, days, by }: { of: Holder | null; days: number; by: string }) =>
        ask(usageReportSchema, "GET", ofHolder(of, `/usage?${queryOf({ days, by })}`)),
      statement: (account: string, month: string) =>
        ask(statementSchema, "GET", ofHolder({ kind: "account", name: account }, `/statements/${month}`)),
    },
    live: remoteLive({ ask, openEvents: createOpenEvents(gateway) }),
    requests: remoteRequests(ask),
    series: remoteSeries(ask),
    notices: askOperations(NOTICES, ask, createAskFor(gateway, PATIENCE_MS)),
    people: askOperations(PEOPLE, ask),
    tokens: askOperations(TOKENS, ask),
    clientSessions: askOperations(CLIENT_SESSIONS, ask),
    providers: remoteProviders({ ask, askPatiently: createAskFor(gateway, PATIENCE_MS) }),
    catalogue: remoteCatalogue({ ask, askPatiently: createAskFor(gateway, PATIENCE_MS) }),
    audit: askOperations(AUDIT, ask),
  };
}

/** Whom the gateway takes this command for. */
export const remoteCaller = (gateway: GatewayAddress) => createAskFor(gateway)(caller, "GET", "/session");
