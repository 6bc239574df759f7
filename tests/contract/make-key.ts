import { type GatewayProcess, rememberSecrets } from "../support/gateway-process.ts";

/** Makes a key as an operator does, from a second terminal; with plenty of money unless the test says how much. */
export async function makeKey(gateway: GatewayProcess, ...options: string[]): Promise<{ id: string; secret: string }> {
  const money = options.includes("token_budget") ? ["--budget", "100000000"] : ["--credit", "1000"];
  const given = options.includes("--credit") || options.includes("--budget");
  const words = [...options, ...(given ? [] : money), "--json"];
  const { code, stdout, stderr } = await gateway.tollgate("keys", "create", ...words);
  if (code !== 0) throw new Error(`no key was made: ${stderr}`);
  const { key, secret } = JSON.parse(stdout) as { key: { id: string }; secret: string };
  rememberSecrets([secret]);
  return { id: key.id, secret };
}

/** Makes a key and takes it back. */
export async function makeRevokedKey(gateway: GatewayProcess): Promise<string> {
  const { id, secret } = await makeKey(gateway);
  const { code, stderr } = await gateway.tollgate("keys", "revoke", id);
  if (code !== 0) throw new Error(`the key was not revoked: ${stderr}`);
  return secret;
}
