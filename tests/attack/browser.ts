import { ask } from "./client.ts";

/** A browser in which somebody signed in with a key or with the token of a session: its cookie, and what such a page sends. */
export type Browser = { headers: { cookie: string; origin: string } };

export async function signInBrowser(gatewayUrl: string, secret: string): Promise<Browser> {
  const origin = new URL(gatewayUrl).origin;
  const body = { key: secret };
  const answer = await ask({ url: `${gatewayUrl}/me/session`, secret: "", body, headers: { origin } });
  const [cookie = ""] = answer.headers["set-cookie"]?.[0]?.split(";") ?? [];
  if (answer.status !== 201 || cookie === "") throw new Error(`not signed in: ${answer.status} ${answer.text}`);
  return { headers: { cookie, origin } };
}
