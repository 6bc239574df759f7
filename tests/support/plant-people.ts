import { randomBytes } from "node:crypto";
import { openBrowser, signIn } from "./oidc/browser.ts";
import type { OidcServer } from "./oidc/start-oidc.ts";

/** Everything that people prove themselves with, and all that the gateway answered while they used it, rightly and wrongly. */
export type PlantedPeople = { secrets: Record<string, string>; heard: string };

const phrase = (): string => `phrase ${randomBytes(18).toString("base64url")}`;

/** The first owner, by the setup token that `serve` printed; a person with a password and a token; and one who comes through the provider. */
export async function plantPeople({
  adminUrl,
  setupToken,
  oidc,
}: {
  adminUrl: string;
  setupToken: string;
  oidc: OidcServer;
}): Promise<PlantedPeople> {
  const secrets: Record<string, string> = {
    setupToken,
    clientSecret: oidc.clientSecret,
    ownersPassword: phrase(),
    membersPassword: phrase(),
    wrongPassword: phrase(),
    nextPassword: phrase(),
  };
  let heard = "";
  const ask = async (method: string, path: string, body?: object, cookie?: string): Promise<Response> => {
    const response = await fetch(`${adminUrl}/admin/v1${path}`, {
      method,
      headers: { "content-type": "application/json", origin: adminUrl, ...(cookie && { cookie }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.clone().text();
    // A token is shown once, to whoever made it.
    heard += `${text.replaceAll(/"secret":"[^"]+"/g, "")}\n`;
    return response;
  };
  const cookieOf = (name: string, response: Response): string => {
    const pair = /^[^;]+/.exec(response.headers.get("set-cookie") ?? "")?.[0] ?? "";
    secrets[name] = pair.split("=")[1] ?? "";
    return pair;
  };
  const owner = { email: "owner@acme.example", password: secrets["ownersPassword"] };
  const member = { email: "member@acme.example", password: secrets["membersPassword"] };

  const asOwner = cookieOf("ownersCookie", await ask("POST", "/setup", { token: setupToken, ...owner }));
  await ask("POST", "/setup", { token: setupToken, ...owner });
  await ask("POST", "/people", { ...member, grants: [{ role: "viewer", account: null }] }, asOwner);
  await ask("POST", "/session", { ...member, password: secrets["wrongPassword"] });
  const asMember = cookieOf("membersCookie", await ask("POST", "/session", member));
  const made = (await (await ask("POST", "/tokens", { name: "program", days: 1 }, asMember)).json()) as {
    secret: string;
  };
  secrets["personalToken"] = made.secret;
  // What people get wrong: a secret as a name, as a field, in a path, in a body that is no JSON.
  for (const wrong of [made.secret, owner.password ?? "", setupToken, asMember]) {
    await ask("POST", "/people", { [wrong]: wrong, email: wrong }, asOwner);
    await ask("GET", `/people/${encodeURIComponent(wrong)}`, undefined, asOwner);
    await ask("DELETE", `/tokens/${encodeURIComponent(wrong)}`, undefined, asOwner);
    await ask("POST", "/session", { email: "owner@acme.example", password: wrong });
    const headers = { "content-type": "application/json" };
    const broken = await fetch(`${adminUrl}/admin/v1/session`, {
      method: "POST",
      headers,
      body: `{"password": ${wrong}`,
    });
    heard += `${await broken.text()}\n`;
  }
  const change = { current: member.password, password: secrets["nextPassword"] };
  await ask("POST", "/people/member@acme.example/password", change, asMember);

  oidc.users.set("ann", { email: "ann@acme.example", groups: ["admins"] });
  oidc.users.set("bob", { email: "bob@acme.example", groups: [] });
  for (const login of ["ann", "bob"]) {
    const browser = openBrowser();
    const page = await signIn(browser, { adminUrl, login });
    heard += `${page.body}\n`;
    const session = [...browser.cookies].find(([name]) => name.endsWith("tollgate_session"))?.[1];
    if (session !== undefined) secrets[`cookie of ${login}`] = session;
  }
  for (const [at, token] of oidc.issued.entries()) secrets[`token ${at} of the provider`] = token;
  for (const path of ["/session", "/people", "/tokens", "/audit", "/live"]) await ask("GET", path, undefined, asOwner);
  const feed = await fetch(`${adminUrl}/admin/v1/live/events`, { headers: { cookie: asOwner } });
  const reader = feed.body?.getReader();
  heard += `${Buffer.from((await reader?.read())?.value ?? "").toString()}\n`;
  await reader?.cancel();
  return { secrets, heard };
}
