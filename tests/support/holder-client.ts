import { bearer, knock, type Knock, type Reply } from "../contract/knock.ts";
import { type IssuedKey, issueKey } from "../contract/operator.ts";
import type { ChainedGateway } from "./chained-gateway.ts";

export const JSON_TYPE = ["content-type", "application/json"];

/** The cookie as a browser sends it back. */
export function cookieOf({ headers }: Reply): string[] {
  const [pair = ""] = headers["set-cookie"]?.[0]?.split(";") ?? [];
  return ["cookie", pair];
}

/** What key holders send to a gateway. */
export function holderClient(stage: () => ChainedGateway) {
  const ask = (path: string, how: Knock = {}): Promise<Reply> => knock(`${stage().gateway.publicUrl}${path}`, how);
  const signIn = (key: string, headers: readonly string[] = []): Promise<Reply> =>
    ask("/me/session", { method: "POST", headers: [...JSON_TYPE, ...headers], body: JSON.stringify({ key }) });
  return {
    ask,
    signIn,
    sessionOf: async (key: string): Promise<string[]> => cookieOf(await signIn(key)),
    read: async <Body>(path: string, headers: readonly string[]): Promise<Body> =>
      JSON.parse((await ask(path, { headers })).text) as Body,
    chat: (key: string, model = "chat", fields: object = {}): Promise<Reply> =>
      ask(`${key.startsWith("tgt_") ? "/token" : ""}/v1/chat/completions`, {
        method: "POST",
        headers: [...bearer(key), ...JSON_TYPE],
        body: JSON.stringify({ model, max_tokens: 20, messages: [{ role: "user", content: "Hello" }], ...fields }),
      }),
    newKey: (order: Record<string, unknown> = {}): Promise<IssuedKey> =>
      issueKey(stage().gateway, { credit: "100", ...order }),
  };
}
