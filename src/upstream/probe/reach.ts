import type { ProviderDialect } from "../../core/request/dialect.ts";
import { prepareRoute } from "../route/prepare-route.ts";
import { reasonOf } from "./reason-of.ts";

/** `status` is null when nothing answered; `problem` then says why, in words without the secret. */
export type Reached = { status: number | null; problem: string | null };

/** Asks a provider for its list of models, which costs nothing. */
export type Reach = (provider: {
  baseUrl: string;
  dialect: ProviderDialect;
  secret: string | null;
}) => Promise<Reached>;

const TIMEOUT_MS = 10_000;
/** What is no header would be refused by the runtime, in words that repeat it. */
const SENDABLE = /^[\x20-\x7e]*$/;

export const createReach =
  ({ fetch }: { fetch: typeof globalThis.fetch }): Reach =>
  async ({ baseUrl, dialect, secret }) => {
    if (secret !== null && !SENDABLE.test(secret))
      return { status: null, problem: "its credential has several lines or characters that are not printable ASCII" };
    const { headers } = prepareRoute({ baseUrl, dialect, upstreamModel: "" }, secret);
    try {
      const response = await fetch(`${baseUrl.replace(/\/$/, "")}/models`, {
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers,
      });
      await response.body?.cancel();
      return { status: response.status, problem: null };
    } catch (error) {
      const reason = reasonOf(error, TIMEOUT_MS);
      return { status: null, problem: secret ? reason.replaceAll(secret, "[secret]") : reason };
    }
  };
