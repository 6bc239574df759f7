import { type Unit, formatAmount } from "../core/money/amount.ts";
import { SECRET_TEXT } from "../core/secret/secret.ts";

/** No view has such a member; if one ever gets it, its value stays out. */
const SECRET_NAME = /(?:^|_)(?:secret|password|passphrase|token|cookie|digest|hash|verifier|credential)$/;
const LONGEST_TEXT = 1_000;
const DEEPEST = 12;
/** So many of a list are shown when it is too long, and then fewer and fewer. */
const SHOWN_OF_LISTS = [1_000, 200, 50, 10, 3, 0];

/**
 * What operators see of something, as JSON within so many bytes. Members are named as the admin API names them, moments are ISO 8601
 * and amounts are exact decimals in their unit. What is too long is cut, and says so.
 */
export function documentOf(view: unknown, maxBytes: number): string | null {
  if (view === null || view === undefined) return null;
  const plain = plainOf(view, { unit: null, name: "", depth: 0 });
  const whole = JSON.stringify(plain);
  if (Buffer.byteLength(whole) <= maxBytes) return whole;
  for (const most of SHOWN_OF_LISTS) {
    const cut = JSON.stringify({ ...objectOf(shortened(plain, most)), cut: { bytes: Buffer.byteLength(whole) } });
    if (Buffer.byteLength(cut) <= maxBytes) return cut;
  }
  return JSON.stringify({ cut: { bytes: Buffer.byteLength(whole) } });
}

type Place = { unit: Unit | null; name: string; depth: number };

function plainOf(value: unknown, place: Place): unknown {
  if (place.depth > DEEPEST) return "…";
  if (typeof value === "string") return SECRET_NAME.test(place.name) ? SECRET_TEXT : textOf(value);
  if (typeof value === "bigint") return place.unit === null ? String(value) : formatAmount(place.unit, value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((one) => plainOf(one, { ...place, depth: place.depth + 1 }));
  if (typeof value !== "object" || value === null) return typeof value === "function" ? undefined : value;
  // A secret that knows that it is one, and anything else that says how it is written.
  if ("toJSON" in value) return plainOf((value as { toJSON: () => unknown }).toJSON(), place);
  const members = value as Record<string, unknown>;
  const unit = members["unit"] === "credit" || members["unit"] === "tokens" ? members["unit"] : place.unit;
  return Object.fromEntries(
    Object.entries(members).map(([given, member]) => {
      const [name, shown] = memberOf(given, member);
      const within = given.endsWith("Nano") ? "credit" : unit;
      return [name, plainOf(shown, { unit: within, name, depth: place.depth + 1 })];
    }),
  );
}

/** `expiresAtMs` is `expires_at` at the API, and `inputNano` is `input` in credits. */
function memberOf(name: string, value: unknown): [string, unknown] {
  const isMoment = /(?:At|From|Until)Ms$/.test(name) && (typeof value === "number" || value === null);
  const short = isMoment ? name.slice(0, -2) : name.replace(/Nano$/, "");
  const snake = short.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return [snake, isMoment && typeof value === "number" ? momentOf(value) : value];
}

const LATEST_MS = 8.64e15;
const momentOf = (ms: number): string | null => (Math.abs(ms) <= LATEST_MS ? new Date(ms).toISOString() : null);

/** PostgreSQL keeps every character but one, and no half of a pair. */
function textOf(text: string): string {
  const kept = text.replaceAll("\0", "").toWellFormed();
  return kept.length <= LONGEST_TEXT ? kept : `${kept.slice(0, LONGEST_TEXT).toWellFormed()}…`;
}

function shortened(value: unknown, most: number): unknown {
  if (Array.isArray(value)) {
    const shown = value.slice(0, most).map((one) => shortened(one, most));
    return value.length > most ? [...shown, { more: value.length - most }] : shown;
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const shown = entries.slice(0, Math.max(most, 20)).map(([name, member]) => [name, shortened(member, most)]);
  return Object.fromEntries(shown);
}

const objectOf = (value: unknown): object =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : { list: value };
