import { renderOAuth } from "../../wire/errors/oauth.ts";
import type { PublicRoute } from "../public-route.ts";

/** What the paths of a client's sign-in have in common: no key, and bounds of their own. */
export const SIGN_IN_ROUTE = {
  origins: ["credit"],
  name: "sign_in",
  dialect: null,
  credential: null,
  rate: "counted_within",
  maxBodyBytes: 0,
  refusals: "full",
  render: renderOAuth,
} as const satisfies Partial<PublicRoute>;
