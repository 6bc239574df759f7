import type { HolderReads } from "../../gateway/holder/holder-reads.ts";
import { noQuery, pageQuery } from "../../wire/holder/query.ts";
import { type HolderRead, holderRead } from "../serve-holder.ts";

/** What a key holder can read about the own key. */
export const getMe = ({ showHolder, showLedger, listModels }: HolderReads): readonly HolderRead[] => [
  holderRead({ path: "/me", query: noQuery, tell: showHolder }),
  holderRead({ path: "/me/ledger", query: pageQuery, tell: (holder, { query }) => showLedger(holder, query) }),
  holderRead({ path: "/me/models", query: noQuery, tell: ({ key }) => Promise.resolve(listModels(key)) }),
];
