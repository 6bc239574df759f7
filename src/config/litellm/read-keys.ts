import { compareDecimals, type Decimal, parseDecimal } from "../../core/money/decimal.ts";
import { ConfigError } from "../config-error.ts";
import { nanoOf, type UsdConversion } from "../price-list/exchange.ts";
import { isNumberText, readExactJson } from "../price-list/read-exact-json.ts";

/** A key of LiteLLM as it is taken over. Only the digest of its secret is known. */
export type LitellmKey = {
  source: string;
  /** SHA-256 in hexadecimal. */
  digest: string;
  label: string | null;
  /** Null: every model. */
  models: string[] | null;
  rpmLimit: number | null;
  expiresAtMs: number | null;
  /** What is left of its budget in nano-credits; null: it has none. */
  creditNano: bigint | null;
  /** What holds there and not here. */
  notes: string[];
};

export type SkippedKey = { source: string; label: string | null; reason: string };
export type LitellmKeys = { keys: LitellmKey[]; skipped: SkippedKey[] };

type Row = Readonly<Record<string, unknown>>;
type Terms = { path: string; exchange: UsdConversion; nowMs: number };

const MOST_RPM = 1_000_000;
const ZERO: Decimal = { digits: 0n, exponent: 0 };
/** Names that stand for models and are none. */
const ALL_MODELS = "all-proxy-models";
const TEAM_MODELS = "all-team-models";

/** Settings of a key that are not carried over, with what an operator may do about each. */
const NOT_CARRIED: Readonly<Record<string, string>> = {
  tpm_limit: "limits of tokens per minute do not exist here; use rpm or a token budget",
  max_parallel_requests: "concurrency per key is limits.key_share_percent",
  team_id: "its team's budget and models are not imported; limit an account with tollgate accounts limit",
  user_id: "its user's budget and models are not imported; limit an account with tollgate accounts limit",
  aliases: "aliases of models belong in the catalogue",
  model_max_budget: "budgets per model are not imported; set them with tollgate accounts limit --models",
};

/** Reads rows of `LiteLLM_VerificationToken`, one JSON object per line. */
export function readLitellmKeys(text: string, terms: Terms): LitellmKeys {
  const result: LitellmKeys = { keys: [], skipped: [] };
  const seen = new Set<string>();
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const source = `${terms.path}:${index + 1}`;
    const row = readExactJson(line, source);
    const reason = whySkipped(row, terms.nowMs) ?? (seen.has(tokenOf(row)) ? "the same key stands above" : null);
    seen.add(tokenOf(row));
    if (reason !== null) result.skipped.push({ source, label: textIn(row, "key_alias"), reason });
    else result.keys.push(keyOf(row, source, terms));
  }
  if (result.keys.length + result.skipped.length === 0)
    throw new ConfigError(
      [{ path: null, source: terms.path, message: "the file has no keys, one JSON object per line." }],
      "list of keys",
    );
  return result;
}

const tokenOf = (row: Row): string => textIn(row, "token") ?? "";

function whySkipped(row: Row, nowMs: number): string | null {
  const expiresAtMs = instantIn(row, "expires");
  if (tokenOf(row).startsWith("sk-"))
    return "its token is a secret and not a digest; create it with keys create --existing-secret-stdin";
  if (!/^[0-9a-f]{64}$/.test(tokenOf(row))) return "its token is not a SHA-256 in 64 hexadecimal digits";
  if (row["blocked"] === true) return "it is blocked";
  if (Number.isNaN(expiresAtMs)) return "its expiry is not a date";
  if (expiresAtMs !== null && expiresAtMs <= nowMs) return `it expired on ${new Date(expiresAtMs).toISOString()}`;
  const models = namesIn(row, "models");
  if (models.includes(TEAM_MODELS))
    return `it may use the models of its team (${TEAM_MODELS}), which are not in this file`;
  return null;
}

function keyOf(row: Row, source: string, { exchange }: Terms): LitellmKey {
  const models = namesIn(row, "models");
  const rpm = numberIn(row, "rpm_limit");
  const isRpm = rpm !== null && compareDecimals(rpm, { digits: 1n, exponent: 0 }) >= 0;
  const budget = numberIn(row, "max_budget");
  const notes = Object.entries(NOT_CARRIED).flatMap(([field, advice]) =>
    isSet(row[field]) ? [`${field}: ${advice}`] : [],
  );
  if (budget !== null && isSet(row["budget_duration"]))
    notes.push(
      "budget_duration: what is left becomes credit, which does not renew; limit an account per month with tollgate accounts limit",
    );
  return {
    source,
    digest: tokenOf(row),
    label: textIn(row, "key_alias")?.slice(0, 200) ?? null,
    models: models.length === 0 || models.includes(ALL_MODELS) ? null : models,
    rpmLimit: isRpm ? Math.min(MOST_RPM, Number(rpm.digits) * 10 ** rpm.exponent) : null,
    expiresAtMs: instantIn(row, "expires"),
    creditNano: budget === null ? null : leftOf(budget, numberIn(row, "spend") ?? ZERO, exchange),
    notes,
  };
}

function leftOf(budget: Decimal, spent: Decimal, exchange: UsdConversion): bigint {
  const nano = (usd: Decimal): bigint => (compareDecimals(usd, ZERO) <= 0 ? 0n : nanoOf(usd, exchange));
  const left = nano(budget) - nano(spent);
  return left > 0n ? left : 0n;
}

const textIn = (row: Row, field: string): string | null => {
  const value = row[field];
  return typeof value === "string" && value !== "" ? value : null;
};

const namesIn = (row: Row, field: string): string[] => {
  const value = row[field];
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
};

const numberIn = (row: Row, field: string): Decimal | null => {
  const value = row[field];
  return isNumberText(value) ? parseDecimal(value.numberText) : null;
};

/** PostgreSQL writes a timestamp without its zone, which is UTC. */
function instantIn(row: Row, field: string): number | null {
  const text = textIn(row, field);
  if (text === null) return null;
  return Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : `${text}Z`);
}

const isSet = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== "" &&
  JSON.stringify(value) !== "{}" &&
  JSON.stringify(value) !== "[]";
