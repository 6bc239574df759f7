import { isObject } from "../../core/bytes/is-object.ts";
import type { ClientConnection } from "./connection.ts";

export type OfferedModel = { id: string; contextWindow: number | null; maxOutputTokens: number | null };

/** What a free request to the gateway says: the models this key may use, or why it may not. */
export type Listed = { models: OfferedModel[]; problem: null } | { models: null; problem: string };

const TIMEOUT_MS = 10_000;

/** Asks for the list of models, which costs nothing and needs the same URL and key as everything else. */
export async function listModels({ origin, key }: Pick<ClientConnection, "origin" | "key">): Promise<Listed> {
  const url = `${origin}/v1/models`;
  try {
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${key}` },
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body: unknown = await response.json().catch(() => null);
    const data = isObject(body) && Array.isArray(body["data"]) ? body["data"] : null;
    if (response.ok && data !== null)
      return { models: data.filter(isObject).filter(generates).map(modelOf), problem: null };
    const error = isObject(body) && isObject(body["error"]) ? body["error"]["message"] : undefined;
    const detail =
      typeof error === "string" ? error : "The response is not a list of models. Is this a Tollgate gateway?";
    return { models: null, problem: `${url} answered ${response.status}: ${detail}` };
  } catch (error) {
    const { cause, message } = error as Error;
    const reason = cause instanceof Error && cause.message !== "" ? cause.message : message;
    return { models: null, problem: `${url} can't be reached: ${reason}` };
  }
}

/** No client that is connected asks for embeddings alone. */
const generates = ({ capabilities }: Record<string, unknown>): boolean =>
  !isObject(capabilities) || capabilities["embeddings"] !== true;

const modelOf = (row: Record<string, unknown>): OfferedModel => ({
  id: String(row["id"]),
  contextWindow: numberOf(row["context_window"]),
  maxOutputTokens: numberOf(row["max_output_tokens"]),
});

const numberOf = (value: unknown): number | null => (typeof value === "number" ? value : null);
