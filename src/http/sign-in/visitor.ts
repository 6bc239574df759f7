import type { IncomingMessage } from "node:http";
import type { Visitor } from "../../core/people/device-sign-in.ts";
import type { CallerAddress } from "../connection/caller-address.ts";
import type { Exchange } from "../public-route.ts";

const AGENT_CHARACTERS = 300;

/** Who sent a request to the pages of a sign-in. */
export const visitorOf = (
  { request, context }: Pick<Exchange, "request" | "context">,
  callerAddress: CallerAddress,
): Visitor => ({
  address: callerAddress(request),
  agent: (request.headers["user-agent"] ?? "").slice(0, AGENT_CHARACTERS),
  requestId: context.requestId,
});

export const queryOf = ({ url = "" }: IncomingMessage): string =>
  url.includes("?") ? url.slice(url.indexOf("?") + 1) : "";
