import type { AnswerOf } from "../../api/call.ts";

/** What a price list would make of the catalogue, and what of it is left out. */
export type Compared = AnswerOf<"POST /admin/v1/models/import/litellm">;

export type ComparedModel = Compared["data"][number];

export const changing = ({ data }: Compared): ComparedModel[] =>
  data.filter(({ change }) => change === "new" || change === "changed");
