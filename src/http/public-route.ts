import type { IncomingMessage, ServerResponse } from "node:http";
import type { CallFormat } from "../core/request/dialect.ts";
import type { Fault } from "../core/fault.ts";
import type { KeyMode } from "../core/people/key-mode.ts";
import type { Sink } from "../core/request/sink.ts";
import type { Caller, PresentedCredential } from "../gateway/open-request.ts";
import type { RequestFinished } from "../telemetry/request-line.ts";
import type { RouteName } from "../telemetry/route-name.ts";
import type { RenderFault } from "../wire/errors/shape.ts";
import type { CredentialScheme } from "./credential/credential.ts";
import type { RequestContext } from "./request-context.ts";

/** One route of the public interface. All that sets it apart from the others stands in its object. */
export type PublicRoute = {
  method: "GET" | "POST" | "DELETE";
  /** Served below each of `origins`. A path that ends in `/*` takes whatever follows. */
  path: string;
  origins: readonly KeyMode[];
  /** Its name in logs, metrics and idempotency claims. */
  name: RouteName;
  /** The format of its body, which chooses the schema; null: it has no body. */
  dialect: CallFormat | null;
  /** A key in the headers, or a way of its own to tell who is calling. Null: its work asks. */
  credential: { scheme: CredentialScheme; required: boolean } | { identify: IdentifyCaller } | null;
  /**
   * When the request counts against the rate of its key: before the work; before the work unless the ledger is away; or within
   * the work, which asks the ledger itself.
   */
  rate: "counted_first" | "counted_if_possible" | "counted_within";
  /** The largest body; 0: none is read. */
  maxBodyBytes: number;
  work: (exchange: Exchange) => Promise<RequestFinished>;
  /** Whether this route may say 403. */
  refusals: "full" | "unauthorised_only";
  /** Writes a refusal in the format of this route. */
  render: RenderFault;
};

/** Says who is calling, or throws. `heard` is told of the key and of its rate. */
export type IdentifyCaller = (
  exchange: Pick<Exchange, "request" | "response">,
  heard: Pick<PresentedCredential, "onRate" | "onKey">,
) => Promise<Caller>;

/** A request and its response. `below`: what follows a path that ends in `/*`, as it was written; else empty. */
export type Exchange = {
  route: PublicRoute;
  /** The mode whose origin was used. */
  origin: KeyMode;
  context: RequestContext;
  request: IncomingMessage;
  response: ServerResponse;
  below: string;
  /** Where the answer goes when it is not the response: the request is a message of a socket. */
  channel?: Channel;
};

/** A socket as one of its messages sees it. */
export type Channel = {
  openSink: () => Sink;
  /** Sends a refusal and returns its status. */
  refuse: (fault: Fault, requestId: string) => number;
  /** Calls back when all that was written has left, or never will. */
  whenSent: (done: () => void) => void;
};

/** The end of a request that led to no generation. */
export const NOTHING_GENERATED = {
  code: null,
  outcome: null,
  streamed: false,
  inputTokens: 0,
  outputTokens: 0,
  providerMs: 0,
  bytesOut: 0,
};
