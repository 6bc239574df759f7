import { rememberSecrets } from "./gateway-process.ts";
import { serveCatalogue, type ServedCatalogue } from "./serve-catalogue.ts";
import { until } from "./until.ts";

export const ADMIN_TOKEN = "an-admin-token-for-records";

/** What the simulated providers do under the name of each model. */
const MODELS = {
  fast: { format: "chat", routes: ["sim+tokens=12"] },
  answers: { format: "responses", routes: ["sim+tokens=12"] },
  thinker: { format: "messages", routes: ["sim+tokens=12"] },
  endless: { format: "chat", routes: ["sim+tokens=100000+rate=50"] },
  down: { format: "chat", routes: ["sim+fail=500", "sim+fail=500"] },
  shaky: { format: "chat", routes: ["sim+fail=500", "sim+tokens=12"] },
  cutoff: { format: "chat", routes: ["sim+tokens=30+fail=error@5"] },
  scold: { format: "chat", routes: ["sim+fail=400"] },
} as const;

export type RecordedModel = keyof typeof MODELS;
const PATHS = { chat: "/v1/chat/completions", responses: "/v1/responses", messages: "/v1/messages" };

export type Sent = { status: number; requestId: string; text: string };

export type RecordedGateway = ServedCatalogue & {
  makeKey: (terms: object) => Promise<{ id: string; secret: string; prefix: string }>;
  admin: (method: string, path: string, body?: object) => Promise<{ status: number; body: unknown }>;
  ask: (model: string, secret: string, more?: object, how?: How) => Promise<Sent>;
  /** The row of a request, once it is written. */
  recordOf: (requestId: string) => Promise<Record<string, unknown>>;
  /** Waits until what is recorded is in the series, too. */
  summed: () => Promise<void>;
};

type How = { headers?: Record<string, string>; disconnects?: boolean; path?: string };

/** A gateway on PostgreSQL that writes its records quickly, in front of two simulated providers. */
export async function startRecordedGateway(more: Record<string, string> = {}): Promise<RecordedGateway> {
  const settings = { TOLLGATE_RECORDS_FLUSH_MS: "50", ...more };
  const gateway = await serveCatalogue({ adminToken: ADMIN_TOKEN, catalogueAt, settings });
  const { served, database } = gateway;
  const admin = createAdminCall(served.adminUrl);
  return {
    ...gateway,
    admin,
    makeKey: async (terms) => {
      const { status, body } = await admin("POST", "/admin/v1/keys", terms);
      if (status !== 201) throw new Error(JSON.stringify(body));
      const { secret, key } = body as { secret: string; key: { id: string; prefix: string } };
      rememberSecrets([secret]);
      return { id: key.id, secret, prefix: key.prefix };
    },
    ask: createAsk(served.url),
    recordOf: async (requestId) => {
      const find = () =>
        database.query<Record<string, unknown>>("select * from request where id = $1", [requestId.slice(4)]);
      await until(async () => (await find()).length > 0, `the record of ${requestId} is written`);
      return (await find())[0] ?? {};
    },
    summed: () =>
      until(
        async () => (await database.query("select batch from series_owed limit 1", [])).length === 0,
        "the series are as far as the records",
      ),
  };
}

const createAdminCall =
  (adminUrl: string): RecordedGateway["admin"] =>
  async (method, path, body) => {
    const response = await fetch(`${adminUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? null : JSON.parse(text) };
  };

/** Sends one request and reads its response to the end, or to its first bytes. */
const createAsk =
  (url: string): RecordedGateway["ask"] =>
  async (model, secret, more = {}, { headers = {}, disconnects = false, path } = {}) => {
    const format = model in MODELS ? MODELS[model as RecordedModel].format : "chat";
    const messages = [{ role: "user", content: "Hello" }];
    const body = {
      model,
      ...(format === "responses" ? { input: "Hello" } : { messages }),
      ...(format === "messages" && { max_tokens: 64 }),
      ...more,
    };
    const stop = new AbortController();
    const response = await fetch(`${url}${path ?? PATHS[format]}`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal: stop.signal,
    });
    const requestId = response.headers.get("x-request-id") ?? "";
    if (!disconnects) return { status: response.status, requestId, text: await response.text() };
    await response.body?.getReader().read();
    stop.abort();
    return { status: response.status, requestId, text: "" };
  };

const catalogueAt = (simulatorUrl: string): object => ({
  providers: ["acme", "bolt"].map((name) => ({
    name,
    base_url: `${simulatorUrl}/v1`,
    credential: "env:PROVIDER_KEY",
  })),
  models: Object.entries(MODELS).map(([id, { format, routes }]) => ({
    id,
    provider: "acme",
    max_output_tokens: 4_096,
    price: { input: "3.7", output: "15.3", cache_read: "0.31" },
    routes: routes.map((upstream, place) => ({
      provider: place === 0 ? "acme" : "bolt",
      upstream_model: upstream,
      format,
      priority: place,
      conformant: true,
    })),
  })),
});
