import type { CallerJson } from "../../../wire/admin/people.ts";
import { printable } from "../cell.ts";
import { personFacts } from "./person-text.ts";
import { PLAIN, type Screen } from "../screen.ts";
import { facts } from "../table.ts";
import { scopeText, tokenName } from "./token-text.ts";

type Caller = Omit<CallerJson, "via"> & { via: CallerJson["via"] | "cli"; through: "database" | "gateway"; at: string };

/** Who acts, what they may do, and on what. */
export function callerText({ through, at, actor, via, person, token }: Caller, screen: Screen = PLAIN): string {
  const place: [string, string] = [through, at];
  if (person === null) return facts(printable(actor), [["acts as", NOBODY[via] ?? via], place], screen);
  const held: [string, string][] =
    token === null
      ? []
      : [
          ["token", tokenName(token)],
          ["allows", scopeText(token)],
          ["expires", token.expires_at],
        ];
  return facts(printable(person.email), [...personFacts(person), ...held, place], screen);
}

/** Who is no person. */
const NOBODY: Readonly<Record<string, string>> = {
  automation: "the automation token, which may do everything",
  cli: "a command on the database, which may do everything",
};
