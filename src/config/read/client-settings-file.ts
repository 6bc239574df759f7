import type { ClientSettings } from "../../core/people/client-settings.ts";
import { isObject } from "../../core/bytes/is-object.ts";
import { ConfigError } from "../config-error.ts";
import { type ReadFile, readTextFile, reasonOf } from "./read-text-file.ts";

const FILE_BYTES = 262_144;
const MOST_ENTRIES = 200;

const EXPECTED =
  'expected a JSON list of objects such as {"group": "search", "settings": {"model": "claude-sonnet-4-5"}}; the group * is everybody';

/** Reads the file of `sign_in.client_settings`. Throws a `ConfigError` that says what is wrong with it. */
export function readClientSettings(path: string, readFile: ReadFile = readTextFile): ClientSettings[] {
  const wrong = (message: string): ConfigError =>
    new ConfigError([{ path: "sign_in.client_settings", source: path, message }]);
  let text: string;
  try {
    text = readFile(path, FILE_BYTES);
  } catch (error) {
    throw wrong(`cannot be read (${reasonOf(error)}).`);
  }
  const entries = parse(text);
  if (!Array.isArray(entries) || entries.length > MOST_ENTRIES) throw wrong(`${EXPECTED}.`);
  return entries.map((entry: unknown, at) => {
    if (!isObject(entry)) throw wrong(`entry ${at + 1}: ${EXPECTED}.`);
    const { group, settings, ...others } = entry;
    if (typeof group !== "string" || group === "" || !isObject(settings) || Object.keys(others).length > 0)
      throw wrong(`entry ${at + 1}: ${EXPECTED}.`);
    return { group, settings };
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
