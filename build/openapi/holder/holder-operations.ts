import { USAGE_SUMMARY } from "../examples.ts";
import { HOLDER_GENERATIONS } from "./holder-generations.ts";
import { HOLDER_ADDED, HOLDER_CODES, HOLDER_READING } from "./holder-reading.ts";
import { HOLDER_RECORD_OPERATIONS } from "./holder-record-operations.ts";
import { HOLDER_SESSION_OPERATIONS } from "./holder-session-operations.ts";
import type { OperationFacts } from "../operations.ts";

const KEY = {
  ...USAGE_SUMMARY.key,
  id: "01890a5d-ac96-774b-bcce-b302099a8057",
  models: null,
  tiers: null,
  regions: null,
  created_at: "2026-01-05T09:00:00.000Z",
  expires_at: null,
};
const EXPIRES_AT = "2026-06-30T20:00:00.000Z";

/** What key holders read about their own key, beside the interface. */
export const HOLDER_OPERATIONS: readonly OperationFacts[] = [
  {
    ...HOLDER_ADDED,
    method: "post",
    path: "/me/session",
    operationId: "signIn",
    summary: "Sign in with a key",
    description:
      "Posts the key, or the access token of a client session, once and sets a cookie that lasts 12 hours, so that no script has to keep the key. Browsers can only call it from pages of this address. The session ends at once when the key is revoked, suspended, disabled, expired or rotated, or the client session ends.",
    credential: "none",
    parameters: [],
    request: { schema: "SignIn", examples: { key: { summary: "A key", value: { key: "tgc_your_key" } } } },
    answer: {
      status: "201",
      about: "The session.",
      schema: "KeySession",
      example: {
        object: "key_session",
        key: { prefix: KEY.prefix, label: KEY.label, mode: KEY.mode },
        expires_at: EXPIRES_AT,
      },
      headers: {
        "set-cookie": {
          description: "The session: `HttpOnly`, `SameSite=Strict`, and `Secure` with https.",
          required: true,
          schema: { type: "string" },
        },
      },
    },
    codes: HOLDER_CODES,
  },
  {
    ...HOLDER_ADDED,
    method: "delete",
    path: "/me/session",
    operationId: "signOut",
    summary: "Sign out",
    description: "Ends the session and removes the cookie. Without a session it does nothing.",
    credential: "session",
    parameters: [],
    request: null,
    answer: { status: "204", about: "The session is over.", schema: null, headers: {} },
    codes: ["invalid_request", "service_unavailable", "internal_error"],
  },
  {
    ...HOLDER_READING,
    path: "/me",
    operationId: "showKeyHolder",
    summary: "Show your key",
    description:
      "Returns the key, its usage, and every purse and limit that its requests need. Reads have their own rate limit and don't count as requests of the key.",
    parameters: [],
    answer: {
      about: "The key and what limits it.",
      schema: "KeyHolder",
      example: {
        ...USAGE_SUMMARY,
        object: "key_holder",
        key: KEY,
        origin: null,
        limits: [
          {
            account: null,
            kind: "purse",
            unit: "credit",
            models: null,
            period: "none",
            amount: null,
            charged: "1.5",
            reserved: "0.02",
            available: "8.48",
            renews_at: null,
          },
        ],
        session: { expires_at: EXPIRES_AT },
        person: null,
      },
      headers: {},
    },
  },
  ...HOLDER_SESSION_OPERATIONS,
  {
    ...HOLDER_READING,
    path: "/me/ledger",
    operationId: "showOwnLedger",
    summary: "List your ledger",
    description: "Returns what was funded, charged and given back, newest first.",
    parameters: ["pageLimit", "pageAfter"],
    answer: {
      about: "A page of the ledger.",
      schema: "HolderLedger",
      example: {
        unit: "credit",
        counter_kind: "purse",
        data: [
          {
            at: "2026-06-30T08:00:00.000Z",
            settled_at: "2026-06-30T08:00:02.000Z",
            kind: "completed",
            credits: "-0.000246",
            tokens: null,
            running: "8.5",
            request_id: "req_01890a5dac96774bbcceb302099a8057",
            model: "your-model",
            price_version: 1,
            input_tokens: 12,
            output_tokens: 40,
            reference: null,
          },
        ],
        next: null,
      },
      headers: {},
    },
  },
  ...HOLDER_RECORD_OPERATIONS,
  ...HOLDER_GENERATIONS,
];
