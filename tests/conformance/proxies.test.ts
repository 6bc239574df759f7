import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { type RequestOptions, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { unknownKey } from "../contract/bad-keys.ts";
import { childEnvironment } from "../support/child-environment.ts";
import { type GatewayProcess, rememberSecrets, startGatewayProcess } from "../support/gateway-process.ts";
import {
  findProxy,
  PROXIES,
  type ProxyName,
  readProxyFile,
  type RunningProxy,
  startProxy,
} from "../support/host/proxy.ts";
import { runTollgate } from "../support/run-tollgate.ts";
import { create, openSocket } from "../support/socket-client.ts";
import { until } from "../support/until.ts";

const PUBLIC_URL = "https://gateway.example.com";
const CONSOLE = "console.example.com";
const BUILT = join(import.meta.dirname, "../../console/dist/index.html");
const OWNER = { email: "ann@acme.example", password: "four quiet horses 41" };
const BODY_BYTES = 33_554_432;
const UNKNOWN_PER_MINUTE = 3;
const long = process.env["TEST_LONG"] === "1";
/** In the short version, the proxies in the test of silence have all their times divided by this. */
const HURRY = long ? 1 : 40;
/** Rare enough that it is not a keep-alive which finds a client gone within a second. */
const KEEP_ALIVE_MS = long ? 15_000 : 2_500;
/** Longer than the longest silence that any of the proxies allows. */
const SILENCE_MS = 330_000 / HURRY;
const LONG_TEST_MS = 900_000;
/** The default of limits.stream_deadline_ms. */
const STREAM_DEADLINE_MS = 300_000;

/** Who sends a request, and what it claims. */
type Sender = { headers?: Record<string, string>; localAddress?: string };
type Reply = { status: number; text: string; headers: Record<string, unknown> };

const NEXT = "sim+tokens=1";
const HELD = "sim+pause=1+tokens=3+flush=each";
const SILENT = "sim+pause=1+tokens=4+flush=each";

let folder: string;
let gateway: GatewayProcess;
let certificate: Buffer;
const running = new Map<ProxyName, RunningProxy>();
/** With all their times divided, for the test of silence. */
const hurried = new Map<ProxyName, RunningProxy>();
const unavailable = new Map<ProxyName, string>();
const sessions: ClientHttp2Session[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-proxies-"));
  const subject = ["-subj", "/CN=gateway.example.com", "-addext", `subjectAltName=IP:127.0.0.1,DNS:${CONSOLE}`];
  const files = ["-keyout", join(folder, "gateway.key"), "-out", join(folder, "gateway.pem")];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...subject, ...files], {
    stdio: "pipe",
  });
  certificate = readFileSync(join(folder, "gateway.pem"));
  gateway = await startGatewayProcess({
    models: {
      held: { upstream: HELD },
      next: { upstream: NEXT },
      // The gateway itself gives up on a provider that is silent for long; here the proxies are tried.
      silent: { upstream: SILENT, idleTimeoutMs: 400_000 },
      quick: { upstream: "sim+tokens=3", contextWindow: 1_000_000 },
      spoken: { upstream: "sim+tokens=20", dialect: "responses" },
    },
    settings: {
      TOLLGATE_PUBLIC_URL: PUBLIC_URL,
      TOLLGATE_ADMIN_PUBLIC_URL: `https://${CONSOLE}`,
      TOLLGATE_WEBSOCKET_ENABLED: "on",
      TOLLGATE_LISTEN_TRUSTED_PROXIES: "127.0.0.1",
      TOLLGATE_KEYS_UNKNOWN_PER_MINUTE: `${UNKNOWN_PER_MINUTE}`,
      TOLLGATE_LIMITS_KEEP_ALIVE_MS: `${KEEP_ALIVE_MS}`,
      TOLLGATE_LIMITS_STREAM_DEADLINE_MS: "400000",
      TOLLGATE_DRAIN_DEADLINE_MS: "410000",
      // A busy machine takes long over 32 MiB.
      TOLLGATE_LIMITS_BODY_TIMEOUT_MS: "150000",
    },
  });
  // Its own word: what it prints is the public address. The log begins with that of the run which made the folder's template.
  const listening = new RegExp(`"pid":${gateway.pid},"msg":"listening","listener":"public","url":"([^"]+)"`);
  const found = () => listening.exec(readFileSync(join(gateway.folder, ".tollgate/tollgate.log"), "utf8"))?.[1];
  await until(() => found() !== undefined, "the log says where it listens");
  const adminPort = Number(new URL(gateway.adminUrl).port);
  const place = { folder, gatewayPort: Number(new URL(found() ?? "").port), adminPort };
  rememberSecrets([OWNER.password]);
  const added = await runTollgate(["people", "add", OWNER.email, "--role", "owner", "--password"], {
    cwd: gateway.folder,
    env: { ...childEnvironment(), HOME: gateway.folder },
    input: `${OWNER.password}\n`,
  });
  expect(added).toMatchObject({ code: 0 });
  for (const name of PROXIES) {
    const proxy = await findProxy(name);
    if (proxy.missing !== null) {
      unavailable.set(name, proxy.missing);
      continue;
    }
    running.set(name, await startProxy(name, { ...place, program: proxy.program, hurry: 1 }));
    hurried.set(name, await startProxy(name, { ...place, program: proxy.program, hurry: HURRY }));
  }
}, 600_000);
afterAll(async () => {
  for (const session of sessions) session.destroy();
  for (const proxy of [...running.values(), ...hurried.values()]) await proxy.stop();
  await gateway?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const chat = (model: string, more: object = {}): string =>
  JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }], ...more });

const callsOf = async (upstream: string) => (await gateway.witness()).filter(({ model }) => model === upstream);

/** One request over HTTP/1.1, perhaps from another address of the loopback network. */
function send(url: string, { body, ...options }: RequestOptions & { body?: string } = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const call = request(url, { agent: false, ca: certificate, ...options });
    call.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      const text = (): string => Buffer.concat(chunks).toString();
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text: text(), headers: response.headers }));
    });
    call.on("error", reject);
    call.end(body);
  });
}

const MOST_RESETS = 10;

/** What is answered while it is still being sent. A proxy then closes a connection with bytes unread, whose reset can overtake the answer. */
async function answeredAmid(ask: () => Promise<Reply>): Promise<Reply> {
  for (let resets = 0; ; resets += 1) {
    try {
      return await ask();
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (resets === MOST_RESETS || !["ECONNRESET", "EPIPE"].includes(code)) throw error;
    }
  }
}

type OpenedStream = { stream: ClientHttp2Stream; text: () => string };

/** A stream over HTTP/2, which one client can leave without closing its connection. Resolves when its first event is here. */
async function openStream(url: string, model: string): Promise<OpenedStream> {
  const session = connect(url, { ca: certificate });
  sessions.push(session);
  await once(session, "connect");
  // What is idle until the end may be reset by a proxy that stops.
  session.on("error", () => undefined);
  expect(session.alpnProtocol).toBe("h2");
  const stream = session.request({
    ":method": "POST",
    ":path": "/v1/chat/completions",
    authorization: `Bearer ${gateway.keys.credit}`,
    "content-type": "application/json",
    // As SDKs do. A proxy that compresses events holds them back.
    "accept-encoding": "gzip",
  });
  let text = "";
  let status = 0;
  stream.on("response", (headers) => (status = Number(headers[":status"])));
  stream.on("data", (bytes: Buffer) => (text += bytes.toString()));
  stream.on("error", () => undefined);
  stream.end(chat(model, { stream: true }));
  await until(() => /"content":"\S/.test(text) || stream.closed, "the first event arrives");
  expect({ status, text }).toMatchObject({ status: 200 });
  return { stream, text: () => text };
}

describe.each(PROXIES)("%s with the file that its page shows", (name) => {
  const proxyOf = (context: { skip: (why: string) => void }): RunningProxy => {
    const why = unavailable.get(name);
    if (why !== undefined) context.skip(why);
    return running.get(name) as RunningProxy;
  };
  const post = (url: string, body: string, { headers = {}, localAddress }: Sender = {}): Promise<Reply> =>
    send(`${url}/v1/chat/completions`, {
      method: "POST",
      body,
      ...(localAddress === undefined ? {} : { localAddress }),
      headers: { authorization: `Bearer ${gateway.keys.credit}`, "content-type": "application/json", ...headers },
    });

  test("the first event arrives while the provider holds the second", async (context) => {
    const { url } = proxyOf(context);
    const before = (await callsOf(HELD)).length;
    const { stream, text } = await openStream(url, "held");
    const [call] = (await callsOf(HELD)).slice(before);
    expect({ paused: call?.paused, produced: call?.tokensProduced, ended: call?.ended }).toEqual({
      paused: true,
      produced: 1,
      ended: null,
    });

    await gateway.release();
    await once(stream, "close");
    expect(text()).toMatch(/data: \[DONE\]\n\n$/);
  });

  test("a client that disconnects is seen by the provider before a request sent after it, or at most a second later", async (context) => {
    const { url } = proxyOf(context);
    const before = (await callsOf(HELD)).length;
    const { stream } = await openStream(url, "held");

    stream.close();
    // A request that is sent afterwards takes the same way: the news of the departure is no slower.
    await post(url, chat("next"));
    const left = async () => (await callsOf(HELD))[before];
    await until(async () => (await left())?.ended === "caller_gone", "the provider sees it");

    const next = (await callsOf(NEXT)).at(-1);
    expect((await left())?.callerGoneAtMs ?? Infinity).toBeLessThanOrEqual((next?.receivedAtMs ?? 0) + 1_000);
  });

  test("a prompt of 1.5 MB and a body of the largest size are answered; one byte more gets the gateway's error", async (context) => {
    const { url } = proxyOf(context);
    const prompt = await post(url, chat("quick", { messages: [{ role: "user", content: "word ".repeat(300_000) }] }));
    expect(prompt).toMatchObject({ status: 200, text: expect.stringContaining('"usage"') });

    const largest = await post(url, chat("quick").padEnd(BODY_BYTES));
    expect(largest).toMatchObject({ status: 200 });

    const larger = await answeredAmid(() => post(url, chat("quick").padEnd(BODY_BYTES + 1)));
    expect(larger.status).toBe(400);
    expect(larger.text).toContain("larger than the limit of 32 MiB");
  });

  test("a WebSocket passes, one response after another [WSK-2]", async (context) => {
    const { url } = proxyOf(context);
    const socket = await openSocket({ url, key: gateway.keys.credit, certificate });
    for (let turn = 0; turn < 2; turn++) {
      socket.send(create("spoken"));
      expect((await socket.response()).at(-1)?.type).toBe("response.completed");
    }
    socket.ws.close();

    expect((await socket.closed).code).toBe(1005);
  });

  test("/docs and openapi.json show the public address, and admin paths are not served", async (context) => {
    const { url } = proxyOf(context);
    const { servers } = JSON.parse((await send(`${url}/openapi.json`)).text) as { servers: { url: string }[] };
    expect(servers.map((server) => server.url)).toEqual([PUBLIC_URL, `${PUBLIC_URL}/token`]);
    expect((await send(`${url}/docs`)).text).toContain(`${PUBLIC_URL}/v1/chat/completions`);

    const paths = ["/admin/v1/keys", "/admin", "/metrics", "/metrics/all"];
    const refused = await Promise.all(paths.map((path) => send(`${url}${path}`)));
    expect(refused.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    // By the proxy itself: the gateway's refusals have an id.
    expect(refused.map(({ headers }) => headers["x-request-id"])).toEqual(Array(4).fill(undefined));
  });

  test("operators open the console at a name of its own and sign in with a password; metrics are not served there", async (context) => {
    const { url } = proxyOf(context);
    type AtConsole = { method?: string; headers?: Record<string, string>; body?: string };
    const atConsole = (path: string, { headers, ...options }: AtConsole = {}): Promise<Reply> =>
      send(`${url}${path}`, { ...options, servername: CONSOLE, headers: { host: CONSOLE, ...headers } });

    const page = await atConsole("/console");
    if (existsSync(BUILT)) expect(page).toMatchObject({ status: 200, text: expect.stringContaining("<script") });
    else expect(page).toMatchObject({ status: 503, text: expect.stringContaining("npm run console") });

    const json = { origin: `https://${CONSOLE}`, "content-type": "application/json" };
    const body = JSON.stringify(OWNER);
    const signedIn = await atConsole("/admin/v1/session", { method: "POST", headers: json, body });
    expect(signedIn).toMatchObject({ status: 201 });
    const [cookie = ""] = signedIn.headers["set-cookie"] as string[];
    expect(cookie).toMatch(/^__Host-tollgate_session=\S+; Path=\/; HttpOnly; SameSite=Lax; Secure$/);

    const session = { cookie: cookie.split(";")[0] ?? "" };
    expect(await atConsole("/admin/v1/session", { headers: session })).toMatchObject({
      status: 200,
      text: expect.stringContaining(OWNER.email),
    });
    const asked = { method: "POST", headers: { ...json, ...session }, body: JSON.stringify({ name: "ci" }) };
    expect(await atConsole("/admin/v1/tokens", asked)).toMatchObject({ status: 201 });
    const elsewhere = { ...asked, headers: { ...asked.headers, origin: PUBLIC_URL } };
    expect(await atConsole("/admin/v1/tokens", elsewhere)).toMatchObject({ status: 403 });

    const hidden = await Promise.all(["/metrics", "/metrics/all"].map((path) => atConsole(path)));
    expect(hidden.map(({ status, headers }) => [status, headers["x-request-id"]])).toEqual([
      [404, undefined],
      [404, undefined],
    ]);
  });

  test("unknown keys are counted by the address of the client, whatever the client says of it", async (context) => {
    const { url } = proxyOf(context);
    const host = 10 * (PROXIES.indexOf(name) + 1);
    const guess = async (localAddress: string, index: number): Promise<number> => {
      const said = `203.0.113.${index}`;
      const authorization = `Bearer ${unknownKey(100 * host + index)}`;
      const headers = { authorization, "x-forwarded-for": said, forwarded: `for=${said}` };
      return (await post(url, chat("quick"), { localAddress, headers })).status;
    };
    const statuses: number[] = [];
    for (let index = 0; index <= UNKNOWN_PER_MINUTE; index++) statuses.push(await guess(`127.0.1.${host}`, index));

    expect(statuses).toEqual([...Array<number>(UNKNOWN_PER_MINUTE).fill(401), 429]);
    expect(await guess(`127.0.2.${host}`, 99)).toBe(401);
  });

  test("it waits longer than the gateway's deadline, and keeps idle connections shorter than the gateway", () => {
    const times = [...readProxyFile(name).matchAll(/(?<=[ \t])(\d+)s(?=[;\s])/g)].map(([, seconds]) => Number(seconds));

    expect(Math.max(...times) * 1_000).toBeGreaterThan(STREAM_DEADLINE_MS);
    expect(times).toContain(60);
    // A limit for the whole response, which none of the times above is.
    if (name === "Envoy") expect(readProxyFile(name)).toContain("timeout: 0s");
  });
});

test(
  "a stream that is silent for longer than any timeout is held open by keep-alives",
  { timeout: LONG_TEST_MS },
  async () => {
    const before = (await callsOf(SILENT)).length;
    const streams = await Promise.all(
      [...hurried].map(async ([name, { url }]) => ({ name, ...(await openStream(url, "silent")) })),
    );
    expect((await callsOf(SILENT)).slice(before).map(({ paused }) => paused)).toEqual(streams.map(() => true));

    // The silence itself is what is tried here; no event ends it.
    await sleep(SILENCE_MS);
    expect(streams.map(({ name, stream }) => ({ name, closed: stream.closed }))).toEqual(
      streams.map(({ name }) => ({ name, closed: false })),
    );
    const closed = streams.map(({ stream }) => once(stream, "close"));
    await gateway.release();
    await Promise.all(closed);

    for (const { name, text } of streams) {
      const signs = text().match(/^: /gm)?.length ?? 0;
      expect({ name, end: text().slice(-14) }).toEqual({ name, end: "data: [DONE]\n\n" });
      expect(signs).toBeGreaterThan(1);
      console.log(`${name}: silent for ${SILENCE_MS / 1_000} s with ${signs} keep-alives`);
    }
  },
);
