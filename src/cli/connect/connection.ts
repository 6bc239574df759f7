import { type KeyMode, ORIGIN_PREFIX } from "../../core/people/key-mode.ts";
import { CommandError } from "../report-failure.ts";

/** What a client needs to be told. */
export type ClientConnection = {
  /** Without `/v1`; with `/token` for a key with a token budget. */
  origin: string;
  key: string;
  model: string;
  /** What the gateway says the model takes and gives; null where it was not asked or does not say. */
  limits: { context: number; output: number } | null;
  /** Whether the gateway accepts responses over WebSocket; null where it was not asked. */
  sockets: boolean | null;
};

/** Where the documentation has a placeholder; nothing with one of these is ever written. */
export const NO_KEY = "tgc_…";
export const NO_MODEL = "MODEL";

const MARKS: Readonly<Record<string, KeyMode>> = { tgc_: "credit", tgt_: "token_budget" };
const SHOWN_CHARACTERS = 12;

/** The mode of a key by its name; null when the name does not say it. */
export const modeOf = (key: string): KeyMode | null => MARKS[key.slice(0, 4)] ?? null;

/** A key as it may be printed. One that kept the secret of another product says less. */
export const shownKey = (key: string): string =>
  key === NO_KEY ? key : `${key.slice(0, modeOf(key) === null ? 4 : SHOWN_CHARACTERS)}…`;

/** People paste an address with or without the path of their client. */
export function originOf(url: string, mode: KeyMode): string {
  const { protocol, origin, pathname, search, hash, username, password } = new URL(url);
  const path = pathname.replace(/\/+$/, "").replace(/(?:\/token)?(?:\/v1)?$/, "");
  if (!/^https?:$/.test(protocol) || search || hash || username || password)
    throw new CommandError("--url must be an http or https URL without credentials, query or fragment.");
  return `${origin}${path}${ORIGIN_PREFIX[mode]}`;
}
