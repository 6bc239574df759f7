import type { TokenPageJson } from "../../../contract/tokens.ts";
import type { TokenJson } from "../../../wire/admin/people.ts";
import { moreText } from "../../page-options.ts";
import { printable } from "../cell.ts";
import { PLAIN, type Screen } from "../screen.ts";
import { table } from "../table.ts";

/** Enough to find it again, too little to use it. */
export const tokenName = ({ prefix, name }: Pick<TokenJson, "prefix" | "name">): string =>
  `${prefix}… (${printable(name)})`;

/** What of its person's rights a token has. */
export const scopeText = ({ role, account }: Pick<TokenJson, "role" | "account">): string => {
  const what = role === null ? "all that its person may do" : `what the role ${role} allows`;
  return account === null ? what : `${what}, below ${printable(account)}`;
};

const statusOf = ({ revoked_at: revoked, expires_at: expires }: TokenJson, nowMs: number): string =>
  revoked !== null ? "revoked" : Date.parse(expires) <= nowMs ? "expired" : "active";

export function tokenListing({ data, next }: TokenPageJson, screen: Screen = PLAIN, nowMs = Date.now()): string {
  if (data.length === 0) return "No tokens. Create one with `tollgate tokens create`.";
  const rows = data.map((token) => [
    token.id,
    `${token.prefix}…`,
    token.name,
    token.email,
    statusOf(token, nowMs),
    token.role ?? "-",
    token.account ?? "-",
    token.expires_at,
    token.last_used_at ?? "never",
  ]);
  const header = ["=ID", "?PREFIX", "NAME", "PERSON", "STATUS", "ROLE", "ACCOUNT", "EXPIRES", "?LAST USED"];
  return `${table(header, rows, { screen })}${moreText(next)}`;
}

export const tokenAdvice = (token: TokenJson): string =>
  `Created token ${tokenName(token)} of ${printable(token.email)}: ${scopeText(token)}, until ${token.expires_at}.\nSave this secret now; it won't be shown again.\n`;
