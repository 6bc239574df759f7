import { z } from "zod";
import { formatAmount, UNITS } from "../../core/amount.ts";
import type { ReadAs, WrittenAs } from "../validate.ts";
import { amount, amountsIn } from "./amount.ts";
import { amountIn } from "./amount-in.ts";
import { namedHolder } from "./holder.ts";

const purse = z.int().min(1).describe("Number of the closed purse, as listed.");

const closedPurseSchema = z
  .object({
    purse,
    key: namedHolder.key,
    account: namedHolder.account,
    unit: z.enum(UNITS),
    amount,
    has_payer: z.boolean().describe("Whether an open purse pays for its holder now, to which the amount can be moved."),
  })
  .meta({ id: "ClosedPurse" })
  .transform(({ purse: counter, has_payer: hasPayer, ...row }, context) => ({
    ...row,
    counter,
    hasPayer,
    amount: amountsIn(row.unit, context)(row.amount),
  }));

export const outstandingSchema = z
  .object({
    purses: z.int().describe("How many purses of accounts and keys there are, empty ones included."),
    balance: amountIn("credit").describe("Credit in these purses: funded and not spent."),
    reserved: amountIn("credit").describe("Of the balance, what requests in progress hold."),
    available: amountIn("credit").describe("The balance without what is reserved."),
    closed_purses: z.int().describe("How many closed purses have credit, which cannot be spent."),
    closed_balance: amountIn("credit").describe("Credit in closed purses; it is not part of the balance."),
    closed: z.array(closedPurseSchema).describe("The first 100 closed purses that have something."),
  })
  .meta({ id: "Outstanding" })
  .transform(({ purses, balance, reserved, closed_purses: number, closed_balance: inClosed, closed: listed }) => ({
    purses,
    balance,
    reserved,
    closed: { purses: number, balance: inClosed, listed },
  }));

export type OutstandingJson = WrittenAs<typeof outstandingSchema>;

export const outstandingView = ({
  purses,
  balance,
  reserved,
  closed,
}: ReadAs<typeof outstandingSchema>): OutstandingJson => ({
  purses,
  balance: formatAmount("credit", balance),
  reserved: formatAmount("credit", reserved),
  available: formatAmount("credit", balance - reserved),
  closed_purses: closed.purses,
  closed_balance: formatAmount("credit", closed.balance),
  closed: closed.listed.map((one) => ({
    purse: one.counter,
    key: one.key,
    account: one.account,
    unit: one.unit,
    amount: formatAmount(one.unit, one.amount),
    has_payer: one.hasPayer,
  })),
});

/** `purse` in a path. */
export const ofPurse = z.object({
  purse: z.coerce.number().int().min(1).describe("Number of the closed purse, as listed."),
});

const holder = z.string().min(1).max(1_000).nullable().default(null);

export const movePurseSchema = z
  .strictObject({
    to_key: holder.describe("Move it to the purse that pays for this key, by id or prefix; null: see `to_account`."),
    to_account: holder.describe(
      "Move it to the purse that pays for this account, by id or names; null, like `to_key`: for the holder of the closed purse.",
    ),
  })
  .refine((order) => order.to_key === null || order.to_account === null, {
    path: ["to_account"],
    error: "Input should be null where to_key is given",
  })
  .transform(({ to_key: key, to_account: account }) =>
    key !== null
      ? { kind: "key" as const, name: key }
      : account === null
        ? null
        : { kind: "account" as const, name: account },
  );

export const movePurseView = (to: ReadAs<typeof movePurseSchema>): WrittenAs<typeof movePurseSchema> => ({
  to_key: to?.kind === "key" ? to.name : null,
  to_account: to?.kind === "account" ? to.name : null,
});

export const movedPurseSchema = z
  .object({ purse, key: namedHolder.key, account: namedHolder.account, unit: z.enum(UNITS), amount })
  .meta({ id: "MovedPurse" })
  .transform((row, context) => ({ ...row, amount: amountsIn(row.unit, context)(row.amount) }));

export type MovedPurseJson = WrittenAs<typeof movedPurseSchema>;

export const movedPurseView = (moved: ReadAs<typeof movedPurseSchema>): MovedPurseJson => ({
  purse: moved.purse,
  key: moved.key,
  account: moved.account,
  unit: moved.unit,
  amount: formatAmount(moved.unit, moved.amount),
});
