import type { Answer, OpenStream, Sent } from "./client.ts";
import type { Asked, Format, Json, Unit } from "./formats.ts";
import type { Account, StageKey } from "./account.ts";
import type { Person } from "./person.ts";
import type { Habit } from "./provider/habit.ts";
import type { Stage } from "./stage.ts";

/** Whom an attempt is made by and who answers it: the caller's format, the provider's, and how the key pays. */
export type Lane = { caller: Format; provider: Format; unit: Unit };

/** A bound that an operator sets, on what one key can cost in an hour. */
export type Cap = {
  /** The setting. */
  setting: string;
  /** Why the gateway does not charge for it instead. */
  because: string;
  /** It shows by requests that no provider was asked. */
  pauses?: true;
};

export type ModelTraits = {
  habit: Partial<Habit>;
  /** Of the provider, where a lane does not say it: all of them. */
  dialects?: readonly Format[];
  contextWindow?: number;
  maxOutputTokens?: number;
  capabilities?: Json;
  /** False: the route is repaired by the normaliser. */
  conformant?: boolean;
};

type Described = {
  /** Unique, short: a file name could be made of it. */
  name: string;
  /** One sentence, in the present: what the attacker does and hopes for. */
  tries: string;
  /** Not in the short form. */
  long?: boolean;
};

/** What an attempt may do with the gateway on one lane. */
export type LaneStage = Lane & {
  stage: Stage;
  keyId: string;
  secret: string;
  /** Whose session the key is; null: nobody's. */
  person: Person | null;
  /** What its money is at now. */
  account: () => Promise<Account>;
  model: string;
  url: string;
  /** Another key of the same kind, or another session of the same person, whose charges count as this lane's. */
  secondKey: () => Promise<StageKey>;
  /** More credit for the key; not for token budgets. */
  topUp: (credit: string) => Promise<void>;
  /** A body for this lane's model, in the caller's format. */
  body: (asked?: Omit<Asked, "model">) => Json;
  sent: (body: Sent["body"], headers?: Sent["headers"]) => Sent;
  ask: (body: Sent["body"], headers?: Sent["headers"]) => Promise<Answer>;
  open: (body: Sent["body"], headers?: Sent["headers"]) => Promise<OpenStream>;
};

/** Tokens for less than they cost. */
export type PriceAttempt = Described & {
  kind: "price";
  lanes: readonly Lane[];
  model: ModelTraits;
  /** Made with sessions of one person instead of a key; on lanes that pay with credits. */
  by?: "person";
  /** Credits of the key, or as many tokens as these buy of output. */
  credit?: string;
  cap?: Cap;
  /** Traffic of others before it, which the gateway may learn from. It is not counted. */
  before?: (lane: LaneStage) => Promise<void>;
  /** May come to nothing because the gateway refuses it. Otherwise a lane on which nothing was produced has shown nothing. */
  refusable?: boolean;
  /** On a gateway whose time limits are seconds. */
  hasty?: boolean;
  run: (lane: LaneStage) => Promise<void>;
};

/** A request that is to reach the provider with something the gateway refuses. */
export type Probe = {
  what: string;
  caller: Format;
  body: (model: string) => Json | string;
  headers?: Record<string, string | string[]>;
  /** None of these may be in what the provider is sent, body or headers. */
  never: readonly string[];
  /** Of another operation than the caller's format has for generating. */
  path?: string;
  /** Sent with the cookie of a browser in which the key signed in, instead of the key. */
  browser?: boolean;
};

export type SmuggleAttempt = Described & {
  kind: "smuggle";
  /** Formats of the provider that each probe is tried on. */
  providers: readonly Format[];
  probes: readonly Probe[];
  /** Of the key; much, unless it says otherwise. */
  credit?: string;
};

/** Somebody else's request that fails or waits. */
export type LockoutAttempt = Described & {
  kind: "lockout";
  model?: ModelTraits;
  /** Works until told to stop, and answers what it got done. */
  run: (attack: LockoutStage) => Promise<string>;
};

export type LockoutStage = {
  stage: Stage;
  model: string;
  signal: AbortSignal;
  /** 1 in the long form; smaller in the short one. */
  scale: number;
};

export type Attempt = PriceAttempt | SmuggleAttempt | LockoutAttempt;

const lane = (caller: Format, provider: Format, unit: Unit): Lane => ({ caller, provider, unit });

export const STRAIGHT: readonly Lane[] = [
  lane("chat", "chat", "credit"),
  lane("responses", "responses", "credit"),
  lane("messages", "messages", "credit"),
];
export const CROSSED: readonly Lane[] = [
  lane("chat", "messages", "credit"),
  lane("responses", "chat", "credit"),
  lane("messages", "responses", "credit"),
];
const BUDGETED: readonly Lane[] = [
  lane("chat", "chat", "tokens"),
  lane("responses", "responses", "tokens"),
  lane("messages", "messages", "tokens"),
];

/** Every format straight, translated, and with a token budget. */
export const ALL_LANES: readonly Lane[] = [...STRAIGHT, ...CROSSED, ...BUDGETED];
export const CHAT_LANES: readonly Lane[] = ALL_LANES.filter(({ caller }) => caller === "chat");

export const laneName = ({ caller, provider, unit }: Lane): string =>
  `${caller}${caller === provider ? "" : ` to ${provider}`}${unit === "tokens" ? ", token budget" : ""}`;
