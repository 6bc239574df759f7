import {
  holderLimit,
  holderPersonSchema,
  holderSchema,
  holderWaysInSchema,
  sessionSchema,
  signInSchema,
} from "../../../src/wire/holder/holder.ts";
import { holderEntry, holderLedger } from "../../../src/wire/holder/ledger.ts";
import { holderSession, holderSessionsEndedSchema, holderSessions } from "../../../src/wire/holder/sessions.ts";
import { type Component, component } from "../component.ts";

/** What the paths below `/me` take and return. They can have more fields than these. */
export const holderComponents = {
  SignIn: component({
    schema: signInSchema,
    about: "The key to sign in with. No other fields.",
    fields: { key: "The API key." },
  }),
  KeySession: component({
    schema: sessionSchema,
    about: "The session. The cookie holds it; this body does not.",
    fields: {
      object: "Always `key_session`.",
      key: "The key: its prefix, its label and how it pays.",
      expires_at: "When the session ends.",
    },
  }),
  HolderWaysIn: component({
    schema: holderWaysInSchema,
    about: "How you can sign in.",
    fields: {
      object: "Always `ways_in`.",
      sso: "Whether people sign in through an identity provider. A key always works.",
    },
  }),
  KeyHolder: component({
    schema: holderSchema,
    about: "The key, its usage as `GET /v1/usage` returns it, and everything that limits it.",
    fields: {
      object: "Always `key_holder`.",
      key: "The key.",
      credits: "Credits of the key, or of the account that limits it most. 0 for a token-budget key.",
      tokens: "Tokens of the key, or of the account that limits it most.",
      requests: "Requests of the key.",
      explanation: "How to read these numbers: what limits the key most, and when it renews.",
      origin: "The base URL for this key without `/v1`; null unless the operator set `public_url`.",
      limits: "Purses and limits of the key and of the accounts above it. The operator can hide those of accounts.",
      session: "When the session ends; null if the key itself was sent.",
      person: "Who signed in with a client or a browser; null: it is a key.",
    },
  }),
  HolderPerson: component({
    schema: holderPersonSchema,
    about: "A person who signed in with a client or a browser.",
    fields: {
      email: "Email of the person.",
      name: "Name of the person.",
      account: "The account that pays, by the names from the root down.",
    },
  }),
  HolderSessions: component({
    schema: holderSessions,
    about: "The clients and browsers that you are signed in with.",
    fields: { data: "The sessions, newest first. Empty for a key." },
  }),
  HolderSession: component({
    schema: holderSession.in,
    about: "A client or a browser that you are signed in with.",
    fields: {
      id: "The id of the session. It is not secret.",
      client: "What you signed in with, such as `Claude Code` or `Firefox on Linux`.",
      agent: "What the client calls itself, shortened.",
      address: "Where the sign-in came from.",
      account: "The account that it spends from, by the names from the root down.",
      is_current: "Whether it is the session of this request.",
      created_at: "When you signed in.",
      refreshed_at: "When its tokens were last replaced, or when you signed in.",
      last_used_at: "When it last sent a request, to five minutes at best; null: not yet.",
      expires_at: "When it ends unless it is refreshed before. That of a browser is not refreshed.",
    },
  }),
  HolderSessionsEnded: component({
    schema: holderSessionsEndedSchema,
    about: "What was ended.",
    fields: { ended: "How many sessions were ended." },
  }),
  HolderKey: component({
    schema: holderSchema.shape.key,
    about: "The key.",
    fields: {
      id: "The id of the key. It is not secret.",
      prefix: "The start of the key. It is not secret.",
      label: "The label the operator gave the key.",
      status: "The state of the key, such as `active`.",
      mode: "How the key pays. It decides which base URL the key uses.",
      provider_scope: "`all`, or the only provider whose models the key can use.",
      models: "Ids of the models the key can use; null: all.",
      regions: "Regions that its requests run in; null: anywhere.",
      tiers: "Service tiers the key can ask for beside the usual one; null: all that are sold.",
      rpm_limit: "Rate limit in requests per minute; null if there is none.",
      created_at: "When the key was created.",
      expires_at: "When the key expires; null: never.",
    },
  }),
  HolderLimit: component({
    schema: holderLimit.in,
    about: "A purse or a limit. Amounts are exact decimals in its own unit.",
    fields: {
      account: "The account it belongs to; null: the key.",
      kind: "`purse`: prepaid credit. `limit`: an amount per period.",
      unit: "`credit` or `tokens`.",
      models: "Patterns of the models it counts; null: all models.",
      period: "How often it renews, in UTC; `none`: never.",
      amount: "The amount per period; null for a purse.",
      charged: "Charged in this period; for a purse, all charges.",
      reserved: "Reserved for requests in progress.",
      available: "What is left for new requests.",
      renews_at: "When it renews; null: never.",
    },
  }),
  HolderLedger: component({
    schema: holderLedger.in,
    about: "A page of the key's ledger, newest first.",
    fields: {
      unit: "The unit of `running`.",
      counter_kind: "Whether the key has a purse or a limit of its own; null: neither.",
      data: "The entries.",
      next: "Pass it as `after` to get the next page; null: this is the last page.",
    },
  }),
  HolderEntry: component({
    schema: holderEntry.in,
    about: "An entry of the ledger.",
    fields: {
      at: "When the request began, or when the funding was booked. The list is sorted by it.",
      settled_at: "When the request was charged; null: the entry is no charge.",
      kind: "What happened, such as `completed`, `purchase` or `refund`.",
      credits: "Credits funded, given back, or, below zero, charged; null: nothing counts in credits.",
      tokens: "The same in tokens.",
      running: "Purse: balance after the entry. Limit: amount used in the period after the entry.",
      request_id: "The request that was charged or given back.",
      model: "The model that was charged.",
      price_version: "The version of the price that was charged.",
      input_tokens: "Input tokens of the request.",
      output_tokens: "Output tokens of the request.",
      reference: "The reference of a payment.",
    },
  }),
} satisfies Record<string, Component>;
