import { type GatewayProcess, rememberSecrets } from "../support/gateway-process.ts";

/** A new key in the words of the operators' interface. */
type KeyOrder = {
  mode?: "credit" | "token_budget";
  credit?: string;
  budget?: number;
  rpm_limit?: number;
  expires_at?: string;
  provider_scope?: string;
  models?: readonly string[];
};

/** Makes a key as an operator does, with plenty of money unless the test says how much. */
export async function makeKey(
  gateway: GatewayProcess,
  { mode = "credit", ...order }: KeyOrder = {},
): Promise<{ id: string; secret: string }> {
  const money = mode === "credit" ? { credit: "1000" } : { budget: 100_000_000 };
  const { key, secret } = await post<{ key: { id: string }; secret: string }>(gateway, "keys", {
    mode,
    ...money,
    ...order,
  });
  rememberSecrets([secret]);
  return { id: key.id, secret };
}

/** Makes a key and takes it back. */
export async function makeRevokedKey(gateway: GatewayProcess): Promise<string> {
  const { id, secret } = await makeKey(gateway);
  await post(gateway, `keys/${id}/revoke`, {});
  return secret;
}

/** Over the wire: a command in a process of its own takes a second. */
async function post<Answer>(
  { adminUrl, adminToken }: GatewayProcess,
  path: string,
  body: Record<string, unknown>,
): Promise<Answer> {
  const response = await fetch(`${adminUrl}/admin/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}
