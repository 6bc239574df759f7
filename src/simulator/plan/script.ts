import { isObject } from "../../core/bytes/is-object.ts";
import { invalid } from "../ask/refusal.ts";

const INTERRUPTIONS = ["error", "reset", "close", "hang"] as const;
const USAGE_MODES = ["normal", "missing", "negative", "absurd", "string"] as const;
const FLUSHES = ["batch", "each"] as const;
/** Ways in which servers answer otherwise than OpenAI does. */
const VECTORS = ["usual", "floats", "unindexed", "turned", "short"] as const;
const THOUGHTS = ["shown", "detailed", "hidden"] as const;

export type UsageMode = (typeof USAGE_MODES)[number];

/** In each dialect's own way; chat has a second one with details. Hidden: there is a proof of them and nothing to read. */
export type Thoughts = (typeof THOUGHTS)[number];

/** A break after so many tokens; null means before a byte of the answer was sent, its head included. */
export type Interruption = { kind: (typeof INTERRUPTIONS)[number]; afterTokens: number | null };

/** How the simulator behaves towards one call. Every position counts tokens already sent. */
export type Script = {
  /** Of the words, or of the arguments of each call. */
  tokens: number;
  /** Zero: as fast as the reader takes them. */
  tokensPerSecond: number;
  firstTokenMs: number;
  pauseAfterTokens: number | null;
  refuseStatus: number | null;
  retryAfterSeconds: number | null;
  interruption: Interruption | null;
  usage: UsageMode;
  malformedAfterTokens: number | null;
  /** Plain: bytes of the whole body. Streamed: bytes of the text. */
  answerBytes: number | null;
  tool: string | null;
  /** Several calls at once; they go before `tool`. */
  tools: readonly string[];
  /** Their arguments come a token of each in turn, instead of one call after the other. */
  interleaved: boolean;
  /** Words before the calls. */
  wordTokens: number;
  /** Thoughts before anything else. */
  thinkingTokens: number;
  thoughts: Thoughts;
  /** Thoughts at the pace of the words that no event tells of; only the usage does. They come first. */
  secretTokens: number;
  /** It does not reason, and refuses to be asked to. */
  thoughtless: boolean;
  /** The words are a refusal. */
  refused: boolean;
  /** What the tool is called with, instead of words: a JSON object. */
  toolArguments: string | null;
  /** The tool is called until its result is in the conversation; then words follow. */
  toolOnce: boolean;
  /** Only so many calls fail, and those after them are whole; null: all fail. */
  failures: number | null;
  /** Searches and pages of its own, where the request offers them, and what each finds in tokens. */
  searches: number;
  pages: number;
  foundTokens: number;
  /** It runs them all, whatever the request allows. */
  heedless: boolean;
  recording: string | null;
  flush: (typeof FLUSHES)[number];
  hashed: boolean;
  /** Overrides the estimate of the prompt. */
  inputTokens: number | null;
  /** The share of the input reported as read from a cache. */
  cachedTokens: number;
  /** What it says it was served as; null: as it was asked. */
  tier: string | null;
  region: string | null;
  /** What it says that it bills, in ten thousand millionths of a dollar; null: nothing. */
  billedTicks: number | null;
  /** How embeddings are given: as floats whatever was asked for, without their index, last first, or one too few. */
  vectors: (typeof VECTORS)[number];
};

export const DEFAULT_SCRIPT: Script = {
  tokens: 40,
  tokensPerSecond: 0,
  firstTokenMs: 0,
  pauseAfterTokens: null,
  refuseStatus: null,
  retryAfterSeconds: null,
  interruption: null,
  usage: "normal",
  malformedAfterTokens: null,
  answerBytes: null,
  tool: null,
  tools: [],
  interleaved: false,
  wordTokens: 0,
  thinkingTokens: 0,
  thoughts: "shown",
  secretTokens: 0,
  thoughtless: false,
  refused: false,
  toolArguments: null,
  toolOnce: false,
  failures: null,
  searches: 0,
  pages: 0,
  foundTokens: 1_000,
  heedless: false,
  recording: null,
  flush: "batch",
  hashed: false,
  inputTokens: null,
  cachedTokens: 0,
  tier: null,
  region: null,
  billedTicks: null,
  vectors: "usual",
};

const MOST_TOKENS = 1_000_000;
const MOST_BYTES = 64 * 1024 * 1024;
const HOUR_MS = 3_600_000;

const SETTINGS: Record<string, (value: string) => Partial<Script>> = {
  billed: (value) => ({ billedTicks: integer("billed", value, Number.MAX_SAFE_INTEGER) }),
  tokens: (value) => ({ tokens: integer("tokens", value, MOST_TOKENS) }),
  rate: (value) => ({ tokensPerSecond: rate(value) }),
  ttft: (value) => ({ firstTokenMs: integer("ttft", value, HOUR_MS) }),
  pause: (value) => ({ pauseAfterTokens: integer("pause", value, MOST_TOKENS) }),
  fail: failure,
  retry: (value) => ({ retryAfterSeconds: integer("retry", value, 86_400) }),
  usage: (value) => ({ usage: oneOf("usage", value, USAGE_MODES) }),
  malformed: (value) => ({ malformedAfterTokens: integer("malformed", value, MOST_TOKENS) }),
  answer: (value) => ({ answerBytes: integer("answer", value, MOST_BYTES) }),
  tool: (value) => ({ tool: matching("tool", value, /^[\w-]{1,64}$/) }),
  tools: (value) => ({ tools: matching("tools", value, /^[\w-]{1,64}(,[\w-]{1,64}){0,15}$/).split(",") }),
  interleaved: (value) => flag("interleaved", value, { interleaved: true }),
  words: (value) => ({ wordTokens: integer("words", value, MOST_TOKENS) }),
  thinking: (value) => ({ thinkingTokens: integer("thinking", value, MOST_TOKENS) }),
  thoughts: (value) => ({ thoughts: oneOf("thoughts", value, THOUGHTS) }),
  secret: (value) => ({ secretTokens: integer("secret", value, MOST_TOKENS) }),
  thoughtless: (value) => flag("thoughtless", value, { thoughtless: true }),
  refusal: (value) => flag("refusal", value, { refused: true }),
  arguments: (value) => ({ toolArguments: jsonObject("arguments", value) }),
  once: (value) => flag("once", value, { toolOnce: true }),
  failures: (value) => ({ failures: integer("failures", value, MOST_TOKENS) }),
  searches: (value) => ({ searches: integer("searches", value, 100) }),
  pages: (value) => ({ pages: integer("pages", value, 100) }),
  found: (value) => ({ foundTokens: integer("found", value, 1_000_000) }),
  heedless: (value) => flag("heedless", value, { heedless: true }),
  recording: (value) => ({ recording: matching("recording", value, /^\w[\w.-]{0,199}$/) }),
  flush: (value) => ({ flush: oneOf("flush", value, FLUSHES) }),
  hash: (value) => flag("hash", value, { hashed: true }),
  input: (value) => ({ inputTokens: integer("input", value, 1_000_000_000) }),
  cached: (value) => ({ cachedTokens: integer("cached", value, 1_000_000_000) }),
  tier: (value) => ({ tier: matching("tier", value, /^[\w-]{1,40}$/) }),
  vectors: (value) => ({ vectors: oneOf("vectors", value, VECTORS) }),
  region: (value) => ({ region: matching("region", value, /^[\w-]{1,40}$/) }),
};

export const SETTING_NAMES: readonly string[] = Object.keys(SETTINGS);

/** The settings behind the first `+` of a model name; a name without one has none. */
export function settingsOfModel(model: string): string {
  const plus = model.indexOf("+");
  return plus < 0 ? "" : model.slice(plus + 1);
}

/** Reads `tokens=50+rate=20+hash`. Strict, because a misspelt fault would make a test pass for no reason. */
export function parseSettings(text: string): Partial<Script> {
  const settings: Partial<Script> = {};
  if (text === "") return settings;
  const seen = new Set<string>();
  for (const part of text.split("+")) {
    const equals = part.indexOf("=");
    const name = equals < 0 ? part : part.slice(0, equals);
    const read = Object.hasOwn(SETTINGS, name) ? SETTINGS[name] : undefined;
    if (!read) throw invalid(`Unknown script setting: ${JSON.stringify(name.slice(0, 64))}.`);
    if (seen.has(name)) throw invalid(`Script setting ${name} is given twice.`);
    seen.add(name);
    Object.assign(settings, read(equals < 0 ? "" : part.slice(equals + 1)));
  }
  return settings;
}

function failure(value: string): Partial<Script> {
  const status = /^[45]\d\d$/.test(value) ? Number(value) : null;
  if (status !== null) return { refuseStatus: status, interruption: null };
  const match = /^(\w+)(?:@(\d+))?$/.exec(value);
  const kind = oneOf("fail", match?.[1] ?? value, INTERRUPTIONS);
  const position = match?.[2];
  if (position === undefined && (kind === "error" || kind === "close")) {
    throw invalid(`Script setting fail=${kind} needs a position, such as fail=${kind}@5.`);
  }
  const afterTokens = position === undefined ? null : integer("fail", position, MOST_TOKENS);
  return { refuseStatus: null, interruption: { kind, afterTokens } };
}

function flag(name: string, value: string, settings: Partial<Script>): Partial<Script> {
  if (value !== "") throw invalid(`Script setting ${name} takes no value.`);
  return settings;
}

function rate(value: string): number {
  const perSecond = /^\d{1,7}(\.\d{1,3})?$/.test(value) ? Number(value) : Number.NaN;
  if (!(perSecond <= 1_000_000)) throw unusable("rate", value, "a number from 0 to 1000000");
  return perSecond;
}

function integer(name: string, value: string, most: number): number {
  const read = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  if (!(read <= most)) throw unusable(name, value, `an integer from 0 to ${most}`);
  return read;
}

function oneOf<Choice extends string>(name: string, value: string, choices: readonly Choice[]): Choice {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw unusable(name, value, `one of ${choices.join(", ")}`);
  return found;
}

function matching(name: string, value: string, pattern: RegExp): string {
  if (!pattern.test(value)) throw unusable(name, value, `of the form ${pattern.source}`);
  return value;
}

/** Travels as base64url, because JSON holds the characters that part one setting from the next. */
function jsonObject(name: string, value: string): string {
  const text = Buffer.from(value, "base64url").toString("utf8");
  try {
    if (isObject(JSON.parse(text))) return text;
  } catch {
    // Refused below, like any other value that is no object.
  }
  throw unusable(name, value, "a JSON object in base64url");
}

const unusable = (name: string, value: string, wanted: string) =>
  invalid(`Script setting ${name} must be ${wanted}, not ${JSON.stringify(value.slice(0, 64))}.`);
