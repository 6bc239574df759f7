import type { Probe, SmuggleAttempt } from "../attempt.ts";
import { bodyOf, FORMATS, PATHS } from "../formats.ts";

const MARK = "smuggled-2718";

type Sent = { what: string; headers: Record<string, string>; path?: (path: string) => string; text?: string };

const probes = (list: readonly Sent[]): Probe[] =>
  FORMATS.flatMap((caller) =>
    list.map(({ what, headers, path = (own) => own, text }) => ({
      what,
      caller,
      browser: true,
      path: path(`/me${PATHS[caller]}`),
      body: (model: string) => {
        const body = bodyOf(caller, { model, limit: 5, prompt: MARK });
        return text === undefined ? body : text.replace("BODY", JSON.stringify(body));
      },
      headers,
      never: [MARK],
    })),
  );

/** What pages of others can make a browser send with the cookie of the console. */
export const BROWSERS: readonly SmuggleAttempt[] = [
  {
    kind: "smuggle",
    providers: ["chat"],
    name: "playground: pages of other sites",
    tries: "Has a signed-in browser send generations from pages of other sites, as forms, fetches and redirects do.",
    probes: probes([
      { what: "no origin", headers: {} },
      { what: "an opaque origin", headers: { origin: "null" } },
      { what: "another site", headers: { origin: "https://evil.example" } },
      { what: "another port", headers: { origin: "http://127.0.0.1:1" } },
      { what: "a site whose name begins like ours", headers: { origin: "http://127.0.0.1.evil.example" } },
      { what: "a referrer alone", headers: { referer: "http://127.0.0.1/console/playground" } },
      { what: "what fetch says of itself", headers: { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" } },
      { what: "a host of theirs", headers: { host: "evil.example", origin: "http://evil.example.invalid" } },
      { what: "a form", headers: { "content-type": "text/plain" }, text: "BODY=" },
    ]),
  },
  {
    kind: "smuggle",
    providers: ["chat"],
    name: "playground: the cookie in other places",
    long: true,
    tries:
      "Uses the cookie of the console at the paths for keys, at the other origin and under odd spellings of its own.",
    probes: probes([
      { what: "the path of keys", headers: { origin: "http://127.0.0.1" }, path: (path) => path.replace("/me", "") },
      { what: "the token origin", headers: {}, path: (path) => `/token${path}` },
      { what: "two slashes", headers: {}, path: (path) => `/${path}` },
      { what: "upper case", headers: {}, path: (path) => path.replace("/me", "/ME") },
      { what: "a way around", headers: {}, path: (path) => `/console/..${path}` },
      { what: "an escaped letter", headers: {}, path: (path) => path.replace("/me", "/%6de") },
    ]),
  },
];
