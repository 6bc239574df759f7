import type { ClientDialect, ProviderDialect } from "../core/request/dialect.ts";
import type { Tariff } from "../core/money/price.ts";
import type { Usage } from "../core/money/usage.ts";
import type { Leaving, Reply } from "./call-gateway.ts";
import type { ProviderExchange } from "./exchange.ts";
import type { Question } from "./questions.ts";
import type { ReadReply } from "./read-reply.ts";

/** One route of a provider that is put to the trials. */
export type Subject = {
  modelId: string;
  upstreamModel: string;
  dialect: ProviderDialect;
  conformant: boolean;
  tariff: Tariff;
  contextWindow: number | null;
  maxOutputTokens: number;
  capabilities: Readonly<Record<string, unknown>>;
  hasCredential: boolean;
};

/** Where a trial's calls go: to the model, to one the provider does not have, or with a credential that is not one. */
export const TARGETS = ["model", "unknown_model", "wrong_credential"] as const;
export type Target = (typeof TARGETS)[number];

/** What a trial found. Any fault fails it; `skipped` says why it does not apply. */
export type Finding = { faults: string[]; notes: string[]; skipped: string | null };

export type AnsweredQuestion = {
  body: Record<string, unknown>;
  reply: Reply;
  read: ReadReply;
  /** The last call to the provider that this question led to; null: there was none. */
  exchange: ProviderExchange | null;
  /** What the provider reported; null when nothing that can be true. */
  usage: Usage | null;
  /** What the ledger charged for it; null: nothing. */
  charge: { nano: bigint; inputTokens: number; outputTokens: number } | null;
  /** The most it could cost. */
  boundNano: bigint;
};

export type Stage = {
  subject: Subject;
  client: ClientDialect;
  /** Sends a question, or a body that continues one, and waits until the ledger has settled it. */
  ask: (question: Question | Record<string, unknown>, leave?: Leaving) => Promise<AnsweredQuestion>;
  /** Everything that is wrong with an answer in itself. */
  judge: (asked: AnsweredQuestion) => Promise<Finding>;
  timeoutMs: number;
};

export type Trial = {
  id: string;
  title: string;
  client: ClientDialect;
  target: Target;
  /** Every question it may ask, for the bound of its cost. */
  questions: readonly Question[];
  /** How many more turns it may take; each is as long as the first question and one answer. */
  turns: number;
  /** Tollgate itself rejects its question, so that it can cost nothing. */
  free: boolean;
  run: (stage: Stage) => Promise<Finding>;
};

export const nothingFound = (): Finding => ({ faults: [], notes: [], skipped: null });
export const notApplicable = (reason: string): Finding => ({ faults: [], notes: [], skipped: reason });

export const together = (...findings: Finding[]): Finding => ({
  faults: [...new Set(findings.flatMap(({ faults }) => faults))],
  notes: [...new Set(findings.flatMap(({ notes }) => notes))],
  skipped: findings.map(({ skipped }) => skipped).find((reason) => reason !== null) ?? null,
});
