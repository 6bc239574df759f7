import { type GatewayProcess, rememberSecrets } from "../support/gateway-process.ts";

export type IssuedKey = { id: string; secret: string };

type Admin = Pick<GatewayProcess, "adminUrl" | "adminToken">;
type Order = { mode?: "credit" | "token_budget"; [field: string]: unknown };

/** An entry of a key's journal, as far as tests read it. */
type JournalEntry = {
  kind: string;
  /** Credits below zero, or tokens. */
  amount: string;
  request_id: string | null;
  model: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
};

type Spent = { cost: string; requests: number; cut_off: number; input_tokens: number; output_tokens: number };

/** Makes a key through the admin listener: a second terminal would take seconds where a file needs a dozen keys. */
export async function issueKey(gateway: Admin, { mode = "credit", ...order }: Order = {}): Promise<IssuedKey> {
  const { key, secret } = await operate<{ key: { id: string }; secret: string }>(gateway, "POST /keys", {
    mode,
    ...order,
  });
  rememberSecrets([secret]);
  return { id: key.id, secret };
}

/** The same with plenty of money, unless the test says how much. */
export async function makeKey(gateway: Admin, order: Order = {}): Promise<IssuedKey> {
  const plenty = order.mode === "token_budget" ? { budget: 100_000_000 } : { credit: "1000" };
  return issueKey(gateway, { ...plenty, ...order });
}

/** Makes a key and takes it back. */
export async function makeRevokedKey(gateway: Admin): Promise<string> {
  const { id, secret } = await makeKey(gateway);
  await operate(gateway, `POST /keys/${id}/revoke`);
  return secret;
}

/** The charges of a key, newest first; what was paid in is left out. */
export async function chargesOf(gateway: GatewayProcess, { id }: IssuedKey): Promise<JournalEntry[]> {
  type Told = Omit<JournalEntry, "amount"> & { credits: string | null; tokens: string | null };
  const { data: entries } = await operate<{ data: Told[] }>(gateway, `GET /keys/${id}/journal?limit=1000`);
  return entries
    .filter(({ request_id: requestId, kind }) => requestId !== null && kind !== "refund")
    .map(({ credits, tokens, ...entry }) => ({ ...entry, amount: credits ?? (tokens ?? "").replace("-", "") }));
}

/** What a key used today: requests that have a usage record, and those that were cut off and have none. */
export async function spentToday(gateway: GatewayProcess, { id }: IssuedKey): Promise<Spent> {
  type Told = Omit<Spent, "cost"> & { credits: string; tokens: string };
  const { days } = await operate<{ days: [Told] }>(gateway, `GET /keys/${id}/usage?days=1`);
  const { credits, tokens, ...rest } = days[0];
  return { ...rest, cost: credits === "0" ? tokens : credits };
}

/** One call to the admin listener, such as `POST /keys/…/suspend`; throws when it is refused. */
export async function operate<Answer>(gateway: Admin, call: string, body: object = {}): Promise<Answer> {
  const [method = "", path = ""] = call.split(" ");
  const response = await fetch(`${gateway.adminUrl}/admin/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${gateway.adminToken}`, "content-type": "application/json" },
    ...(method === "GET" ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${call} was refused: ${text}`);
  return JSON.parse(text) as Answer;
}
