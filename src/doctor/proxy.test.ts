import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startNginx, whyNoNginx } from "../../tests/support/nginx.ts";
import { type FreshDatabase, freshDatabase, whyUnavailable } from "../../tests/support/postgres.ts";
import { childEnvironment } from "../../tests/support/child-environment.ts";
import { freePort } from "../../tests/support/free-port.ts";
import { type ServeProcess, startServeProcess } from "../../tests/support/serve-process.ts";
import { loadConfig } from "../config/load-config.ts";
import type { Check, CheckId, Status } from "./check.ts";
import { checksLeadingTo } from "./checks.ts";
import { judgeAddress, judgeStream, PROXY_CHECKS } from "./checks/proxy-checks.ts";
import { examine } from "./examine.ts";
import type { Patient } from "./patient.ts";
import { openWayIn } from "./way-in.ts";

const ADMIN_TOKEN = "9f2c41d7a8b3e6059f2c41d7a8b3e605-Qx";
const BODY_BYTES = 2_097_152;
const reason = whyUnavailable("15") ?? whyNoNginx();

/** How the proxy is set, by the name of the setting that is wrong. `good` is as docs/deploy/proxies.md wants it. */
const FORWARD = "proxy_http_version 1.1; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;";
const LOCATIONS = {
  good: `client_max_body_size 32m; ${FORWARD}`,
  // nginx speaks HTTP/1.0 to the gateway unless it is told otherwise, and then gathers.
  held: "proxy_buffering on; proxy_ignore_headers X-Accel-Buffering;",
  packed: `${FORWARD} gzip on; gzip_types text/event-stream;`,
  small: `client_max_body_size 1m; ${FORWARD}`,
  claims: "proxy_http_version 1.1; client_max_body_size 32m;",
  stranger: `client_max_body_size 32m; ${FORWARD} proxy_bind 127.0.0.2;`,
  unheaded: `${FORWARD} proxy_set_header Authorization "";`,
  nameless: `${FORWARD} proxy_hide_header x-request-id;`,
  hasty: `${FORWARD} proxy_read_timeout 2s;`,
} as const;
type Proxy = keyof typeof LOCATIONS | "dead" | "exposed" | "ended" | "self_signed";

type Row = {
  breaks: string;
  proxy: Proxy;
  silenceMs?: number;
  publicUrl?: string;
  adminToken?: string;
  expected: { id: CheckId; status: Status; message: RegExp; fix: RegExp };
};

describe.skipIf(reason !== null)(`doctor through nginx${reason === null ? "" : `: skipped, ${reason}`}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-doctor-"));
  const ports = new Map<Proxy, number>();
  let database: FreshDatabase;
  let gateway: ServeProcess;
  let nginx: Awaited<ReturnType<typeof startNginx>>;
  beforeAll(async () => {
    database = await freshDatabase();
    gateway = await startServeProcess({ folder, environment: environment() });
    await startProxies();
  });
  afterAll(async () => {
    await nginx?.close();
    await gateway?.stop();
    await database?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const environment = (): Record<string, string> => ({
    ...childEnvironment(),
    DATABASE_URL: database.url,
    TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
    PORT: "0",
    TOLLGATE_ADMIN_PORT: "0",
    TOLLGATE_LISTEN_TRUSTED_PROXIES: "127.0.0.1",
    TOLLGATE_LIMITS_BODY_BYTES: String(BODY_BYTES),
  });

  async function startProxies(): Promise<void> {
    const blocks: string[] = [];
    const add = async (name: Proxy, settings: string, upstream: string): Promise<void> => {
      const port = await freePort();
      ports.set(name, port);
      const secure = name === "ended" || name === "self_signed";
      const tls = secure ? `ssl_certificate ${folder}/${name}.crt; ssl_certificate_key ${folder}/${name}.key;` : "";
      blocks.push(
        `server { listen 127.0.0.1:${port}${secure ? " ssl" : ""}; ${tls} location / { proxy_pass ${upstream}; ${settings} } }`,
      );
    };
    for (const [name, settings] of Object.entries(LOCATIONS)) await add(name as Proxy, settings, gateway.url);
    await add("dead", "", `http://127.0.0.1:${await freePort()}`);
    await add("exposed", `} location /admin { proxy_pass ${gateway.adminUrl};`, gateway.url);
    certify("ended", "-1");
    certify("self_signed", "30");
    await add("ended", "", gateway.url);
    await add("self_signed", "", gateway.url);
    nginx = await startNginx({ folder, servers: blocks.join("\n"), ports: [...ports.values()] });
  }

  /** Signed by itself, for so many days; a day ago, where the number is below 0. */
  function certify(name: string, days: string): void {
    const [key, request] = [join(folder, `${name}.key`), join(folder, `${name}.csr`)];
    const subject = ["-subj", "/CN=127.0.0.1"];
    execFileSync(
      "openssl",
      [
        "req",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-keyout",
        key,
        "-out",
        request,
        ...subject,
      ],
      { stdio: "ignore" },
    );
    execFileSync(
      "openssl",
      ["x509", "-req", "-in", request, "-signkey", key, "-days", days, "-out", join(folder, `${name}.crt`)],
      { stdio: "ignore" },
    );
  }

  type Look = Omit<Row, "breaks" | "expected">;

  async function examineThrough(
    { proxy, silenceMs = 0, publicUrl, adminToken = ADMIN_TOKEN }: Look,
    checks: readonly Check[],
  ) {
    const scheme = proxy === "ended" || proxy === "self_signed" ? "https" : "http";
    const url = `${scheme}://127.0.0.1:${ports.get(proxy)}`;
    const variables = { ...environment(), TOLLGATE_PUBLIC_URL: publicUrl ?? url };
    const { config } = loadConfig({ environment: variables, readFile: noFile });
    const wayIn = openWayIn({ url, adminToken, nowMs: Date.now, elapsedMs: () => performance.now() });
    // The checks of the proxy look at nothing else of a patient.
    const patient = { config, wayIn, silenceMs, isDev: false, explain: String, nowMs: Date.now } as unknown as Patient;
    return (await examine({ checks, patient, onStep: () => undefined })).checks;
  }

  const look = async (how: Look, id: CheckId) =>
    (await examineThrough(how, checksLeadingTo(id))).filter((check) => check.id === id);

  const rows: Row[] = [
    {
      breaks: "the way to the gateway",
      proxy: "dead",
      expected: {
        id: "proxy-reachable",
        status: "failed",
        message: /is not Tollgate: nginx\S* returns 502/,
        fix: /listen\.port/,
      },
    },
    {
      breaks: "the buffering of streams",
      proxy: "held",
      expected: {
        id: "proxy-streaming",
        status: "failed",
        message: /sent 1 s apart arrived together/,
        fix: /proxy_buffering off/,
      },
    },
    {
      breaks: "the bytes of streams",
      proxy: "packed",
      expected: {
        id: "proxy-streaming",
        status: "warning",
        message: /compresses streams \(gzip\)/,
        fix: /compression of streams/,
      },
    },
    {
      breaks: "the Authorization header",
      proxy: "unheaded",
      expected: {
        id: "proxy-streaming",
        status: "failed",
        message: /does not accept the ticket/,
        fix: /forward the Authorization header/,
      },
    },
    {
      breaks: "the admin token of doctor's settings",
      proxy: "good",
      adminToken: "another-admin-token",
      expected: {
        id: "proxy-streaming",
        status: "failed",
        message: /another admin\.token/,
        fix: /the gateway's own settings/,
      },
    },
    {
      breaks: "the size of bodies",
      proxy: "small",
      expected: {
        id: "proxy-body",
        status: "failed",
        message: /a body of 2 MiB does not arrive: nginx\S* returns 413/,
        fix: /client_max_body_size/,
      },
    },
    {
      breaks: "X-Forwarded-For",
      proxy: "claims",
      expected: {
        id: "proxy-addresses",
        status: "failed",
        message: /clients can choose their address/,
        fix: /replace X-Forwarded-For/,
      },
    },
    {
      breaks: "trust in the proxy",
      proxy: "stranger",
      expected: {
        id: "proxy-addresses",
        status: "warning",
        message: /^unknown: every request comes from 127\.0\.0\.2$/,
        fix: /Add 127\.0\.0\.2 to listen\.trusted_proxies/,
      },
    },
    {
      breaks: "the ids of responses",
      proxy: "nameless",
      expected: {
        id: "proxy-headers",
        status: "warning",
        message: /^x-request-id do not arrive$/,
        fix: /pass the response headers/,
      },
    },
    {
      breaks: "the proxy's patience",
      proxy: "hasty",
      silenceMs: 4_000,
      expected: {
        id: "proxy-silence",
        status: "failed",
        message: /^cut within 4 s without a byte$/,
        fix: /proxy_read_timeout/,
      },
    },
    {
      breaks: "the privacy of the admin API",
      proxy: "exposed",
      expected: { id: "proxy-admin", status: "failed", message: /reachable there \(401\)/, fix: /admin\.port off/ },
    },
    {
      breaks: "public_url",
      proxy: "good",
      publicUrl: "https://llm.example.com",
      expected: {
        id: "proxy-public-url",
        status: "warning",
        message: /^https:\/\/llm\.example\.com, but clients use http:/,
        fix: /TOLLGATE_PUBLIC_URL/,
      },
    },
    {
      breaks: "trust in the certificate",
      proxy: "self_signed",
      expected: { id: "proxy-certificate", status: "failed", message: /^not trusted: /, fix: /NODE_EXTRA_CA_CERTS/ },
    },
    {
      breaks: "the term of the certificate",
      proxy: "ended",
      expected: { id: "proxy-certificate", status: "failed", message: /^ended on \d{4}-\d\d-\d\d$/, fix: /Renew/ },
    },
  ];

  test("finds nothing to fix at a proxy that is set up as the page wants it", async () => {
    const checks = await examineThrough({ proxy: "good", silenceMs: 100 }, PROXY_CHECKS);

    expect(checks.map(({ id, status, message }) => `${id} ${status}: ${message}`)).toEqual([
      expect.stringMatching(/^proxy-reachable ok: .* is Tollgate$/),
      "proxy-certificate ok: none; http on this machine",
      expect.stringMatching(/^proxy-public-url ok: http:/),
      "proxy-ready ok: ready",
      "proxy-headers ok: request ids arrive",
      "proxy-admin ok: not reachable from there",
      "proxy-streaming ok: events arrive as they are sent",
      "proxy-addresses ok: known; this machine is itself among listen.trusted_proxies",
      "proxy-body ok: 2 MiB arrive",
      "proxy-silence ok: 0.1 s without a byte are endured",
    ]);
  });

  test.each(rows)("says what is wrong and how to fix it after breaking $breaks", async ({ expected, ...row }) => {
    const [line] = await look(row, expected.id);

    expect(line?.message).toMatch(expected.message);
    expect(line?.status).toBe(expected.status);
    expect(line?.fix).toMatch(expected.fix);
    expect(JSON.stringify(line)).not.toContain(ADMIN_TOKEN);
  });

  test("every check of the proxy is broken by a row or by a test of this file", () => {
    const broken = [...rows.map(({ expected }) => expected.id), "proxy-ready"];

    expect(new Set(broken)).toEqual(new Set(PROXY_CHECKS.map(({ id }) => id)));
  });

  test("sends no ticket where the certificate is not trusted", async () => {
    expect(await look({ proxy: "self_signed" }, "proxy-streaming")).toMatchObject([
      { status: "skipped", message: 'needs "certificate"' },
    ]);
  });

  test("says that the gateway is degraded, and who says why", async () => {
    await database.close();

    await expect
      .poll(async () => (await look({ proxy: "good" }, "proxy-ready"))[0], { timeout: 20_000 })
      .toMatchObject({ status: "warning", message: "degraded", fix: expect.stringContaining("/healthz") as string });
  });
});

const seen = {
  address: "198.51.100.7",
  peer: "10.0.0.9",
  forwarded_for: "203.0.113.77, 198.51.100.7",
  forwarded: null,
};

test("tells a proxy that is not trusted from a client", () => {
  expect(judgeAddress(seen, "10.0.0.0/8")).toMatchObject({ status: "ok" });
  expect(judgeAddress({ ...seen, address: "10.0.0.9" }, "")).toMatchObject({
    status: "warning",
    message: "every client looks like 10.0.0.9, the proxy",
  });
  expect(judgeAddress({ ...seen, address: "10.0.0.9", forwarded_for: "203.0.113.77" }, "")).toMatchObject({
    status: "ok",
  });
});

test("warns of a proxy that compresses streams, and of one that cuts them", () => {
  const streamed = { status: 200, headers: {}, text: "", seen: null, gapMs: 1_001, isComplete: true };

  expect(judgeStream({ ...streamed, headers: { "content-encoding": "gzip" } })).toMatchObject({ status: "warning" });
  expect(judgeStream({ ...streamed, isComplete: false })).toMatchObject({
    status: "failed",
    message: "a stream of 1 s was cut off",
  });
});

const noFile = (): string => {
  throw Object.assign(new Error("no such file"), { code: "ENOENT" });
};
