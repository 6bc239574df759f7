import type { GatewayProcess, TestModel } from "../../support/gateway-process.ts";
import { bearer, knock, type Reply } from "../knock.ts";

export const MESSAGES = [{ role: "user", content: "Hello" }];
export const JSON_TYPE = ["content-type", "application/json"];

/** The model that is asked for where a test does not say which: its gateway has it when a provider is to answer. */
export const EVERYDAY: Record<string, TestModel> = { everyday: { upstream: "sim", conformant: false } };

/** A chat completion as most tests ask for it: valid, but for what the test is about. */
export function ask(gateway: GatewayProcess, fields: object = {}, headers?: readonly string[]): Promise<Reply> {
  return send(gateway, JSON.stringify({ model: "everyday", messages: MESSAGES, ...fields }), headers);
}

/** A body as it is. */
export function send(
  gateway: GatewayProcess,
  body: string | Buffer,
  headers: readonly string[] = [...bearer(gateway.keys.credit), ...JSON_TYPE],
): Promise<Reply> {
  return knock(`${gateway.publicUrl}/v1/chat/completions`, { method: "POST", headers, body });
}
