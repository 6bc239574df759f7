import type { Amounts } from "../money/amount.ts";
import type { Page, PageRequest } from "../page.ts";
import type { PriceLine } from "../money/price-lines.ts";
import type { RequestFacts } from "./request-facts.ts";
import type { Usage } from "../money/usage.ts";

/** What was kept of a request. */
export type RequestRecord = Omit<RequestFacts, "code"> & {
  atMs: number;
  /** How many requests it stands for: refusals alike beyond so many are counted in one record. */
  times: number;
  /** The error code, else `ok`, or how the generation ended. */
  code: string;
  /** The provider that was asked last. */
  provider: string | null;
  /** Where the route that was asked last runs; null: it does not say. */
  region: string | null;
  client: string | null;
  agent: string | null;
};

/** `error`: rejected or failed. A client that disconnected is neither. */
export const REQUEST_OUTCOMES = ["ok", "error", "client_gone"] as const;
export type RequestOutcome = (typeof REQUEST_OUTCOMES)[number];

/** Which records are meant; what is absent is not asked for. */
export type RequestFilter = {
  keyId?: string;
  /** An account and what is below it, as it was then. */
  accountId?: string;
  /** Only below one of these accounts. */
  within?: readonly string[];
  model?: string;
  provider?: string;
  code?: string;
  status?: number;
  agent?: string;
  outcome?: RequestOutcome;
  fromMs?: number;
  /** Before this. */
  toMs?: number;
};

/**
 * Records, newest first. However rare they are, one page takes bounded work: it may be short, even empty, and have a `next` all the
 * same, where the search goes on.
 */
export type ListRequests = (filter: RequestFilter, page: PageRequest) => Promise<Page<RequestRecord>>;

/** Why an amount is not what its lines come to. */
export type PriceGap = "provider_failed" | "voided" | "estimated" | "absorbed" | "no_price";

/** How an amount was made, in the unit of its lines: from counts and prices to the charge. */
export type PriceWork = {
  lines: readonly PriceLine[];
  /** What the lines come to, rounded once; null: the price is not known. */
  sum: bigint | null;
  charged: bigint;
  /** Null: the charge is the sum. */
  gap: PriceGap | null;
};

/** A row of the ledger about the request. `credits` and `tokens` are below zero where they were taken. */
export type RequestEntry = Amounts & {
  kind: "hold" | "release" | "charge" | "refund" | "void" | "given_back" | "absorbed";
  atMs: number;
  /** Of what the operator absorbed: why. Of a refund: its reference. */
  reference: string | null;
  actor: string | null;
};

/** The money of a request, from the journal. */
export type RequestMoney = {
  /** How the ledger calls its end. */
  kind: string;
  priceVersion: number | null;
  usage: Usage;
  /** The counts are the gateway's and not the provider's. */
  estimated: boolean;
  credits: PriceWork | null;
  tokens: PriceWork | null;
  /** In the order of their times. */
  entries: readonly RequestEntry[];
};

export type ShownRequest = {
  record: RequestRecord;
  /** Null: nothing was reserved. */
  money: RequestMoney | null;
};

/** By the UUID of the request. Null: no record of it is kept. */
export type ShowRequest = (id: string) => Promise<ShownRequest | null>;
