import { isObject } from "../../core/bytes/is-object.ts";
import { findPiece, PIECE_CHARACTERS, piecesOf } from "../../core/secret/secret-pieces.ts";
import { FORM_NAMES, publicCharactersOf, SECRET_FORMS, type SecretForm, WRITTEN } from "./secret-forms.ts";

/** A file that is about to be written. */
export type Draft = { path: string; text: string };
export type DraftLeak = { path: string; what: string; how: string };
/** What must be in no file. `what` names it for a reader. */
export type Hidden = { what: string; text: string };

/** So many letters and digits of a secret in a row, whatever stands between them. */
const SPLIT_CHARACTERS = 16;
/** Shorter ones are words. */
const LEAST_CHARACTERS = 6;

/**
 * Looks for secrets and ids in drafts, in the forms of `SECRET_FORMS`, with escapes read, and divided: by other characters, or over
 * the events of a stream. It knows nothing of how the drafts were scrubbed, so that it notices what that forgot.
 */
export function findLeaks(drafts: readonly Draft[], hidden: readonly Hidden[]): DraftLeak[] {
  const sought = hidden
    .filter(({ text }) => text.length >= LEAST_CHARACTERS)
    .map((one) => ({ ...one, needles: needlesOf(one.text) }));
  return drafts.flatMap(({ path, text }) => {
    const joined = joinedValues(text);
    const views = [text, unescaped(text), percentDecoded(text), ...joined];
    return sought.flatMap(({ what, text: secret, needles }) => {
      const found = needles.find(({ stands }) => views.some(stands));
      if (found !== undefined) return [{ path, what, how: FORM_NAMES[found.form] }];
      return [text, ...joined].some((view) => standsDivided(view, secret)) ? [{ path, what, how: "in pieces" }] : [];
    });
  });
}

type Needle = { form: SecretForm; stands: (view: string) => boolean };

const needlesOf = (secret: string): Needle[] =>
  SECRET_FORMS.map((form) => {
    const written = WRITTEN[form](secret).filter((text) => text !== "");
    const short = written.filter((text) => text.length < PIECE_CHARACTERS);
    const pieces = piecesOf(written, (text) => publicCharactersOf(text, secret));
    return { form, stands: (view) => short.some((text) => view.includes(text)) || findPiece(view, pieces) !== -1 };
  });

function standsDivided(view: string, secret: string): boolean {
  const bare = lettersOf(secret);
  if (bare.length < SPLIT_CHARACTERS) return false;
  const letters = lettersOf(view);
  for (let at = 0; at + SPLIT_CHARACTERS <= bare.length; at++)
    if (letters.includes(bare.slice(at, at + SPLIT_CHARACTERS))) return true;
  return false;
}

const lettersOf = (text: string): string => text.replaceAll(/[^0-9A-Za-z]/g, "");

const unescaped = (text: string): string =>
  text.replaceAll(/\\u([0-9a-f]{4})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));

const percentDecoded = (text: string): string =>
  text.replaceAll(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));

/** The texts that lie at the same place of successive events, one after the other as a client would show them. */
function joinedValues(text: string): string[] {
  const places = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    if (!line.startsWith("{")) continue;
    try {
      collect(JSON.parse(line), "", places);
    } catch {
      // What is no JSON is looked at as text.
    }
  }
  return [...places.values()].map((values) => values.join(""));
}

function collect(value: unknown, place: string, places: Map<string, string[]>): void {
  if (typeof value === "string") {
    const values = places.get(place);
    if (values) values.push(value);
    else places.set(place, [value]);
  } else if (Array.isArray(value)) for (const item of value) collect(item, place, places);
  else if (isObject(value))
    for (const [name, member] of Object.entries(value)) collect(member, `${place}.${name}`, places);
}
