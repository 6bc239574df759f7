import { z } from "zod";
import { ROLES } from "../core/people/role.ts";
import type { ManageTokens } from "../entrance/token/manage-tokens.ts";
import { accountName } from "../wire/admin/keys.ts";
import { pageQuery, pageSchema } from "../wire/admin/page.ts";
import { personName, token } from "../wire/admin/people.ts";
import { sparse } from "../wire/codec.ts";
import type { WrittenAs } from "../wire/validate.ts";
import type { Operations } from "./operation.ts";

export const newToken = z.strictObject({
  name: personName.describe("What it is for."),
  person: z
    .string()
    .max(300)
    .nullable()
    .default(null)
    .describe("Whose it is; null: yours. Others' need the automation token."),
  role: z
    .enum(ROLES)
    .nullable()
    .default(null)
    .describe("Allows what this role allows, and no more than its person may; null: as its person."),
  account: accountName.nullable().default(null).describe("Only below this account; null: wherever its person may."),
  days: z.int().min(1).max(365).default(90).describe("Days until it expires, at most 365."),
});

const tokenQuery = sparse(
  z.strictObject({
    ...pageQuery(100).in.shape,
    person: z
      .string()
      .max(300)
      .exactOptional()
      .describe("Whose: an email or an id. Omit it for your own; owners: everybody's."),
  }),
);

export const tokenPage = pageSchema(token);
export type TokenPageJson = WrittenAs<typeof tokenPage>;
export const tokenMade = z.object({
  token,
  secret: z
    .string()
    .describe("The secret. Save it now; it won't be shown again.")
    .meta({ examples: ["tgp_…"] }),
});
export const tokenRevoked = z.object({ token, changed: z.boolean() });

/** What people do with tokens for their programs, below `/admin/v1`. */
export const TOKENS: Operations<ManageTokens> = {
  create: {
    id: "createToken",
    method: "POST",
    path: "/tokens",
    summary: "Create a personal token for a program",
    description:
      "Only this response contains the secret. A token can't create tokens: use a session, or the automation token with `person`.",
    payload: newToken,
    answer: tokenMade,
    status: 201,
    refusals: ["invalid_request", "not_found"],
    audit: {
      action: "token.create",
      of: ({ person }) => ({ kind: "person", name: person }),
      asked: ({ name, role, account, days }) => ({ name, role, account, days }),
      after: ({ token: made }) => ({ token: made }),
    },
  },
  list: {
    id: "listTokens",
    method: "GET",
    path: "/tokens",
    summary: "List your personal tokens; owners everywhere see everybody's",
    payload: tokenQuery,
    answer: tokenPage,
    refusals: ["invalid_request", "not_found"],
    audit: "read",
  },
  revoke: {
    id: "revokeToken",
    method: "DELETE",
    path: "/tokens/{token}",
    summary: "Revoke a personal token of yours; owners everywhere revoke anybody's",
    params: z.object({ token: z.uuid().describe("Id of the token.") }),
    answer: tokenRevoked,
    refusals: ["invalid_request", "not_found"],
    audit: {
      action: "token.revoke",
      of: (id) => ({ kind: "token", name: id }),
      after: ({ token: revoked }) => ({ token: revoked }),
    },
  },
};
