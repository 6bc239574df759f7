import { z } from "zod";
import { UNITS } from "../core/money/amount.ts";
import type { ManageClosedPurses } from "../operator/money/closed-purses.ts";
import type { Holder } from "../operator/find/holder.ts";
import { amount, measured } from "../wire/admin/amount.ts";
import { namedHolder } from "../wire/admin/holder.ts";
import type { WrittenAs } from "../wire/validate.ts";
import type { Operations } from "./operation.ts";

export const purse = z.int().min(1).describe("Number of the closed purse, as listed.");

const holder = z.string().min(1).max(1_000).nullable().default(null);

const moveOrder = z.codec(
  z
    .strictObject({
      to_key: holder.describe("Move it to the purse that pays for this key, by id or prefix; null: see `to_account`."),
      to_account: holder.describe(
        "Move it to the purse that pays for this account, by id or names; null, like `to_key`: for the holder of the closed purse.",
      ),
    })
    .refine((order) => order.to_key === null || order.to_account === null, {
      path: ["to_account"],
      error: "Input should be null where to_key is given",
    }),
  z.custom<Holder | null>(),
  {
    decode: ({ to_key: key, to_account: account }): Holder | null => {
      if (key !== null) return { kind: "key", name: key };
      return account === null ? null : { kind: "account", name: account };
    },
    encode: (to) => ({
      to_key: to?.kind === "key" ? to.name : null,
      to_account: to?.kind === "account" ? to.name : null,
    }),
  },
);

export const movedPurse = measured(
  z
    .object({ purse, key: namedHolder.key, account: namedHolder.account, unit: z.enum(UNITS), amount })
    .meta({ id: "MovedPurse" }),
  ["amount"],
);

export type MovedPurseJson = WrittenAs<typeof movedPurse>;

/** What operators do with closed purses, below `/admin/v1`. */
export const CLOSED_PURSES: Operations<ManageClosedPurses> = {
  move: {
    id: "moveClosedPurse",
    method: "POST",
    path: "/ledger/closed-purses/{purse}/move",
    summary: "Move what a closed purse has to an open one",
    description:
      "A closed purse has something only if a charge was given back to it while no open purse paid for its key. Everything it has is moved.",
    params: z.object({
      purse: z.coerce.number().int().min(1).describe("Number of the closed purse, as listed."),
    }),
    payload: moveOrder,
    answer: movedPurse,
    refusals: ["invalid_request", "not_found", "conflict"],
    audit: {
      action: "purse.move",
      of: (number) => ({ kind: "purse", name: String(number) }),
      asked: (_number, to) => ({ to }),
      after: (moved) => moved,
    },
  },
};
