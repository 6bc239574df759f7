import { isLoopback, readNetworkList } from "../../core/network-list.ts";
import { type Check, failed, type CheckFinding, ok, skipped, warning } from "../check.ts";
import { inBytes, inNumbers } from "../figures.ts";
import { configOf, type Patient, wayInOf } from "../patient.ts";
import {
  type ProxyAnswer,
  type ServerCertificate,
  CLAIMED_ADDRESS,
  type SeenRequest,
  type Streamed,
} from "../way-in.ts";

const DAY_MS = 86_400_000;
const SOON_DAYS = 14;
/** The gateway waits a second between two events; held back, they arrive together. */
const HELD_BACK_MS = 500;
const SHOWN = 80;

/** What stands between clients and the gateway, looked at through it. */
export const PROXY_CHECKS: readonly Check[] = [
  {
    id: "proxy-reachable",
    title: "public address",
    finds: "`--url` does not answer, or something else than Tollgate answers there.",
    fix: "Check the name in DNS, the proxy, and that it forwards to listen.host and listen.port.",
    after: ["settings-required"],
    run: async ({ wayIn }) => {
      if (wayIn === null) return skipped("give --url https://… to check the proxy in front");
      const answer = await wayIn.get("/");
      if (answer.status === 200 && answer.text.includes('"service":"tollgate"')) return ok(`${wayIn.url} is Tollgate`);
      return failed(`${wayIn.url} is not Tollgate: ${answered(answer)}`);
    },
  },
  {
    id: "proxy-certificate",
    title: "certificate",
    finds: `The certificate is not trusted, is over, or ends within ${SOON_DAYS} days; or keys travel unencrypted.`,
    fix: "Renew the certificate. For an issuer of your own, set NODE_EXTRA_CA_CERTS here and at every client.",
    after: ["proxy-reachable"],
    run: async (patient) => judgeCertificate(await wayInOf(patient).certificate(), patient),
  },
  {
    id: "proxy-public-url",
    title: "public_url",
    finds: "`public_url` is not set or differs from `--url`, so messages and /docs show another address.",
    fix: "Set public_url (TOLLGATE_PUBLIC_URL) to the address that clients use.",
    after: ["proxy-reachable"],
    run: (patient) => {
      const { publicUrl } = configOf(patient);
      const { url } = wayInOf(patient);
      if (publicUrl === url) return ok(url);
      return warning(publicUrl === null ? `not set; clients use ${url}` : `${publicUrl}, but clients use ${url}`);
    },
  },
  {
    id: "proxy-ready",
    title: "readiness",
    finds: "The gateway at `--url` reports that it cannot serve, or serves with something missing.",
    fix: "See the reasons, and docs/operate/failure-modes.md.",
    after: ["proxy-reachable"],
    run: async (patient) => {
      const { status, text } = await wayInOf(patient).get("/readyz");
      const report = readReport(text);
      const reasons = report.reasons.join("; ");
      if (status === 200 && report.status === "ok") return ok("ready");
      if (status === 200 && report.status === "degraded")
        return warning(
          "degraded",
          "Ask /healthz on the admin listener, which says why, or run this with DATABASE_URL.",
        );
      return failed(reasons === "" ? `/readyz returns ${status}` : reasons);
    },
  },
  {
    id: "proxy-headers",
    title: "response headers",
    finds: "The proxy removes `x-request-id` or `request-id`, by which a request is found in the log.",
    fix: "Let the proxy pass the response headers x-request-id and request-id.",
    after: ["proxy-reachable"],
    run: async (patient) => {
      const { headers } = await wayInOf(patient).get("/");
      const missing = ["x-request-id", "request-id"].filter((name) => !isRequestId(headers[name]));
      return missing.length === 0 ? ok("request ids arrive") : warning(`${missing.join(" and ")} do not arrive`);
    },
  },
  {
    id: "proxy-admin",
    title: "admin API",
    finds: "The admin API answers at the public address.",
    fix: "Forward only listen.port to clients; keep admin.port off every public proxy.",
    after: ["proxy-reachable"],
    run: async (patient) => {
      const { status } = await wayInOf(patient).get("/admin/v1/health/routes");
      return status === 404 ? ok("not reachable from there") : failed(`/admin/v1 is reachable there (${status})`);
    },
  },
  {
    id: "proxy-streaming",
    title: "streaming",
    finds: "The proxy holds a stream back, cuts it, or does not forward the Authorization header.",
    fix: "Turn off response buffering and compression of streams in the proxy (nginx: proxy_buffering off). See docs/deploy/proxies.md.",
    after: ["proxy-certificate"],
    run: async (patient) => {
      const { stream } = wayInOf(patient);
      const first = await stream(0);
      // A machine that stood still for a moment looks like a proxy that gathers: so a second look before it is said.
      return judgeStream(isHeldBack(first) ? await stream(0) : first);
    },
  },
  {
    id: "proxy-addresses",
    title: "client addresses",
    finds: "The gateway does not know client addresses, takes the proxy's for them, or believes what clients claim.",
    fix: "Set listen.trusted_proxies, and let the proxy write X-Forwarded-For: docs/deploy/proxies.md.",
    after: ["proxy-streaming"],
    run: async (patient) => {
      const { seen } = await wayInOf(patient).stream(0);
      return seen === null
        ? skipped("the gateway did not say")
        : judgeAddress(seen, configOf(patient).listen.trustedProxies);
    },
  },
  {
    id: "proxy-body",
    title: "body size",
    finds: "The proxy rejects a body of `limits.body_bytes`.",
    fix: "Raise the proxy's limit to limits.body_bytes (nginx: client_max_body_size 32m).",
    after: ["proxy-streaming"],
    run: async (patient) => {
      const { bodyBytes } = configOf(patient).limits;
      const answer = await wayInOf(patient).body(bodyBytes);
      if (answer.status === 200) return ok(`${inBytes(bodyBytes)} arrive`);
      return failed(`a body of ${inBytes(bodyBytes)} does not arrive: ${answered(answer)}`);
    },
  },
  {
    id: "proxy-silence",
    title: "silence",
    finds: "The proxy cuts a response that is silent for as long as `--silence` says.",
    fix: "Raise the proxy's read timeout (nginx: proxy_read_timeout), or lower limits.keep_alive_ms for streams.",
    after: ["proxy-streaming"],
    run: async (patient) => {
      const { silenceMs } = patient;
      if (silenceMs === 0) return skipped("give --silence SECONDS to wait that long");
      const { isComplete } = await wayInOf(patient).stream(silenceMs);
      const seconds = inNumbers(silenceMs / 1_000);
      return isComplete
        ? ok(`${seconds} s without a byte are endured`)
        : failed(`cut within ${seconds} s without a byte`);
    },
  },
];

function judgeCertificate(certificate: ServerCertificate | null, patient: Patient): CheckFinding {
  const { url } = wayInOf(patient);
  if (certificate === null) {
    const isHere = isLoopback(new URL(url).hostname);
    return isHere ? ok("none; http on this machine") : warning("none: keys travel unencrypted over http");
  }
  const { validToMs, problem, protocol, speaksHttp2 } = certificate;
  const days = Math.floor((validToMs - patient.nowMs()) / DAY_MS);
  const until = new Date(validToMs).toISOString().slice(0, 10);
  if (days < 0) return failed(`ended on ${until}`);
  if (problem !== null) return failed(`not trusted: ${problem}`);
  if (days < SOON_DAYS) return warning(`ends in ${inNumbers(days, "day")}, on ${until}`);
  return ok(`trusted until ${until}; ${protocol}${speaksHttp2 ? ", HTTP/2" : ""}`);
}

const isHeldBack = ({ status, gapMs }: Streamed): boolean => status === 200 && gapMs !== null && gapMs < HELD_BACK_MS;

export function judgeStream(streamed: Streamed): CheckFinding {
  const { status, headers, gapMs, isComplete } = streamed;
  if (status === 404 && isRequestId(headers["x-request-id"]))
    return failed(
      "the gateway there does not accept the ticket: it has another admin.token, is an older version, or the proxy removes Authorization",
      "Run doctor with the gateway's own settings, synchronize the clocks, and let the proxy forward the Authorization header.",
    );
  if (status !== 200) return failed(answered(streamed));
  if (!isComplete || gapMs === null) return failed("a stream of 1 s was cut off");
  if (isHeldBack(streamed)) return failed("held back: two events that were sent 1 s apart arrived together");
  const encoding = headers["content-encoding"];
  if (encoding !== undefined) return warning(`not held back, but the proxy compresses streams (${encoding})`);
  return ok("events arrive as they are sent");
}

export function judgeAddress(seen: SeenRequest, trustedProxies: string): CheckFinding {
  const { address, peer, forwarded_for: listed } = seen;
  const trusts = readNetworkList(trustedProxies) ?? (() => false);
  const entries = (listed ?? "").split(",").map((entry) => entry.trim());
  const trust = `Add ${peer} to listen.trusted_proxies, and let the proxy write X-Forwarded-For.`;
  if (address === null) return warning(`unknown: every request comes from ${peer}`, trust);
  if (address === CLAIMED_ADDRESS) {
    // Whoever is trusted may claim an address, and this machine may be.
    if (entries.length > 1) return ok("known; this machine is itself among listen.trusted_proxies");
    return failed(
      "clients can choose their address: the proxy passes X-Forwarded-For on as it comes",
      "Let the proxy replace X-Forwarded-For by, or append, the address it accepted the connection from.",
    );
  }
  const hasProxy = listed !== CLAIMED_ADDRESS || seen.forwarded !== null;
  if (address === peer && hasProxy && !trusts(peer))
    return warning(`every client looks like ${peer}, the proxy`, trust);
  return ok(`known; this machine is ${address}`);
}

/** Only Tollgate makes these. */
const isRequestId = (header: string | string[] | undefined): boolean => String(header ?? "").startsWith("req_");

/** What came instead, in a few words: who said no is to be seen in it. */
function answered({ status, headers, text }: ProxyAnswer): string {
  const by = isRequestId(headers["x-request-id"]) ? "Tollgate" : String(headers.server ?? "the proxy");
  const title = /<title>([^<]*)<\/title>/i.exec(text)?.[1] ?? text;
  const words = title.replaceAll(/\s+/g, " ").trim().slice(0, SHOWN);
  return `${by} returns ${status}${words === "" || words.startsWith(String(status)) ? "" : `: ${words}`}`;
}

function readReport(text: string): { status: string; reasons: string[] } {
  try {
    const { status = "", reasons = [] } = JSON.parse(text) as { status?: string; reasons?: string[] };
    return { status, reasons };
  } catch {
    return { status: "", reasons: [] };
  }
}
