import type { RouteFormat } from "../../core/request/dialect.ts";
import type { CallCredential } from "../../core/catalogue/call-credential.ts";
import { prepareRoute, signed } from "../route/prepare-route.ts";
import { reasonOf } from "./reason-of.ts";

/** `status` is null when nothing answered; `problem` then says why, in words without the secret. */
export type Reached = { status: number | null; problem: string | null };

/** Asks a provider for its list of models, which costs nothing. */
export type Reach = (provider: {
  baseUrl: string;
  dialect: RouteFormat;
  platform?: string | null;
  credential: CallCredential;
}) => Promise<Reached>;

const TIMEOUT_MS = 10_000;
/** Only its headers are wanted. */
const ANY_MODEL = "any";
/** What is no header would be refused by the runtime, in words that repeat it. */
const SENDABLE = /^[\x20-\x7e]*$/;

export const createReach =
  ({ fetch }: { fetch: typeof globalThis.fetch }): Reach =>
  async ({ baseUrl, dialect, platform = null, credential }) => {
    const secret = typeof credential === "string" ? credential : null;
    if (secret !== null && !SENDABLE.test(secret))
      return { status: null, problem: "its credential has several lines or characters that are not printable ASCII" };
    const { headers, signer } = prepareRoute({ baseUrl, dialect, platform, upstreamModel: ANY_MODEL }, credential);
    const url = new URL(`${baseUrl.replace(/\/$/, "")}/models`);
    const call = { method: "GET", host: url.host, path: url.pathname, headers, body: Buffer.alloc(0) } as const;
    try {
      const response = await fetch(url, {
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: signer === null ? headers : await signed(call, signer, TIMEOUT_MS),
      });
      await response.body?.cancel();
      return { status: response.status, problem: null };
    } catch (error) {
      const reason = reasonOf(error, TIMEOUT_MS);
      return { status: null, problem: secret ? reason.replaceAll(secret, "[secret]") : reason };
    }
  };
