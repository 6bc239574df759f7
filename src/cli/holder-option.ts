import type { Command } from "commander";

type Holder = { kind: "key" | "account"; name: string };

/** A key or `--account`, whichever was given; null: neither. */
export function holderOf(key: string | undefined, account: string | undefined, command: Command): Holder | null {
  if (key !== undefined && account !== undefined) command.error("error: give a key or --account, not both");
  if (key !== undefined) return { kind: "key", name: key };
  return account === undefined ? null : { kind: "account", name: account };
}

/** The same where one of them is needed. */
export function oneHolder(key: string | undefined, account: string | undefined, command: Command): Holder {
  return holderOf(key, account, command) ?? command.error("error: give a key, or --account <account>");
}
