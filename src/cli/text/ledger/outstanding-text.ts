import type { OutstandingJson } from "../../../contract/books.ts";
import type { MovedPurseJson } from "../../../contract/closed-purses.ts";
import { grouped, printable } from "../cell.ts";
import { PLAIN, type Screen } from "../screen.ts";
import { facts, table } from "../table.ts";

type Closed = OutstandingJson["closed"][number];

export function outstandingText(outstanding: OutstandingJson, screen: Screen = PLAIN): string {
  const { purses, balance, reserved, available, closed_purses: number, closed_balance: inClosed, closed } = outstanding;
  const shown = facts(
    "Credit outstanding",
    [
      ["balance", balance],
      ["reserved", reserved],
      ["available", available],
      ["purses", grouped(purses)],
      ...(closed.length === 0 ? [] : [["in closed purses", `${inClosed}, in ${grouped(number)}`] as const]),
    ],
    screen,
  );
  if (closed.length === 0) return shown;
  const rows = closed.map((one) => [
    String(one.purse),
    holderText(one),
    amountText(one),
    one.has_payer ? `tollgate ledger move ${one.purse}` : "name a purse: --to-key or --to-account",
  ]);
  const listing = table([">CLOSED PURSE", "OF", ">HAS", "MOVE IT"], rows, { screen });
  return `${shown}\n\n${listing}\n\nWhat a closed purse has cannot be spent until you move it.`;
}

export const movedPurseText = (moved: MovedPurseJson): string =>
  printable(`Moved ${amountText(moved)} from closed purse ${moved.purse} to the purse of ${holderText(moved)}.`);

const holderText = ({ key, account }: Pick<Closed, "key" | "account">): string =>
  key === null ? `account ${account?.title ?? ""}` : `key ${key.prefix === "" ? key.id : `${key.prefix}…`}`;

const amountText = ({ amount, unit }: Pick<Closed, "amount" | "unit">): string =>
  `${amount} ${unit === "credit" ? "credits" : "tokens"}`;
