import { type GatewayProcess, rememberSecrets } from "../support/gateway-process.ts";

/** Makes a key as an operator does, from a second terminal. */
export async function makeKey(gateway: GatewayProcess, ...options: string[]): Promise<{ id: string; secret: string }> {
  const { code, stdout, stderr } = await gateway.tollgate("keys", "create", ...options, "--json");
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
