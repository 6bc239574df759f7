import { z } from "zod";

export const beginSignInSchema = z
  .strictObject({
    return_to: z
      .string()
      .max(1_001)
      .optional()
      .describe("Path of this listener to continue at. If unset, `/admin/v1/session`, which shows who signed in."),
  })
  .transform(({ return_to: returnTo }) => returnTo ?? null);

/** Whatever a provider adds is part of what is checked. */
export const backFromProviderSchema = z
  .looseObject({
    code: z.string().optional().describe("Authorization code."),
    state: z.string().optional().describe("As it was sent to the provider."),
    iss: z.string().optional().describe("Issuer, if the provider names it."),
    error: z.string().optional().describe("Why the provider refused the sign-in."),
  })
  .describe("What the provider sends along, as OpenID Connect defines it.");

export const redirectSchema = z
  .string()
  .meta({ description: "Empty. The header `Location` says where to continue.", examples: [""] });

export const waysInSchema = z
  .object({
    sso: z.boolean().describe("Whether single sign-on is set up."),
    setup: z.boolean().describe("True until the first owner exists; the setup token creates them."),
    signed_in: z
      .boolean()
      .describe("Whether the session cookie that you sent is valid. A page asks this first, so that it gets no 401."),
  })
  .describe("How people can sign in.");
