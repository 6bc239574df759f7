import fc, { type Arbitrary } from "fast-check";
import { CREDIT_KEY_PLACE, type Expectation, type FuzzCase, ORDINARY, send, type Step } from "./fuzz-case.ts";
import { MARKER_PLACE } from "./marker.ts";

const BODY = JSON.stringify({ model: "echo-chat", messages: [{ role: "user", content: MARKER_PLACE }] });
const LENGTH = `content-length: ${BODY.length}`;
const CHUNKED = "transfer-encoding: chunked";

/** The head of a chat completion, with these lines more. */
const head = (...lines: string[]): string =>
  [
    "POST /v1/chat/completions HTTP/1.1",
    "host: gateway",
    `authorization: Bearer ${CREDIT_KEY_PLACE}`,
    "content-type: application/json",
    ...lines,
    "",
    "",
  ].join("\r\n");
const chunk = (text: string, extension = ""): string => `${text.length.toString(16)}${extension}\r\n${text}\r\n`;
const models = (connection: string): string =>
  `GET /v1/models HTTP/1.1\r\nhost: gateway\r\nconnection: ${connection}\r\n\r\n`;

const BAD: Partial<Expectation> = { statuses: [400], silence: "allowed" };
const GOOD: Partial<Expectation> = { statuses: [200], echo: "demanded" };

type Raw = [name: string, bytes: string | readonly Step[], expects: Partial<Expectation>];

/** Ways to say where a request ends that two parsers could read differently, and ways to say it well that few clients use. */
const FRAMINGS: readonly Raw[] = [
  ["length and chunked", head(LENGTH, CHUNKED) + chunk(BODY) + "0\r\n\r\n", BAD],
  ["chunked and length", head(CHUNKED, LENGTH) + BODY, BAD],
  ["two lengths that differ", head(LENGTH, "content-length: 5") + BODY, BAD],
  ["two lengths that agree", head(LENGTH, LENGTH) + BODY, BAD],
  ["a list of lengths", head(`content-length: ${BODY.length}, ${BODY.length}`) + BODY, BAD],
  ["a signed length", head(`content-length: +${BODY.length}`) + BODY, BAD],
  ["a negative length", head("content-length: -1") + BODY, BAD],
  ["a hexadecimal length", head("content-length: 0x10") + BODY, BAD],
  ["an endless length", head(`content-length: ${"9".repeat(40)}`) + BODY, BAD],
  ["a space before the colon", head(`content-length : ${BODY.length}`) + BODY, BAD],
  ["chunked twice", head("transfer-encoding: chunked, chunked") + chunk(BODY) + "0\r\n\r\n", BAD],
  ["chunked misspelt", head("transfer-encoding: xchunked") + chunk(BODY) + "0\r\n\r\n", BAD],
  ["chunked not last", head("transfer-encoding: chunked, gzip") + chunk(BODY) + "0\r\n\r\n", BAD],
  ["folded header", head(LENGTH, "x-folded: a\r\n b") + BODY, BAD],
  ["bare line feeds", head(LENGTH).replaceAll("\r\n", "\n") + BODY, BAD],
  ["bare carriage return", head(LENGTH, "x-odd: a\rb") + BODY, BAD],
  ["NUL in a header", head(LENGTH, "x-odd: a\u0000b") + BODY, BAD],
  ["a chunk size that is none", `${head(CHUNKED)}zz\r\n${BODY}\r\n0\r\n\r\n`, BAD],
  ["a chunk size too large", `${head(CHUNKED)}${"f".repeat(17)}\r\n${BODY}\r\n0\r\n\r\n`, BAD],
  ["a chunk longer than announced", `${head(CHUNKED)}5\r\n${BODY}\r\n0\r\n\r\n`, BAD],
  ["chunk extensions", head(CHUNKED, "connection: close") + chunk(BODY, ";a=b;c") + "0\r\n\r\n", GOOD],
  [
    "a mebibyte of chunk extension",
    head(CHUNKED) + chunk(BODY, `;${"e".repeat(1_048_576)}`),
    { statuses: [400, 413, 431], silence: "allowed" },
  ],
  ["trailers", `${head(CHUNKED, "connection: close")}${chunk(BODY)}0\r\nx-api-key: other\r\n\r\n`, GOOD],
  [
    "one byte per chunk",
    `${head(CHUNKED, "connection: close")}${BODY.replaceAll(/[\s\S]/g, (byte) => chunk(byte))}0\r\n\r\n`,
    { statuses: [200] },
  ],
  ["expects to be told to go on", head(LENGTH, "expect: 100-continue", "connection: close") + BODY, GOOD],
  ["HTTP/1.0", head(LENGTH).replace("HTTP/1.1", "HTTP/1.0") + BODY, GOOD],
  [
    "HTTP/1.0 and chunked",
    head(CHUNKED).replace("HTTP/1.1", "HTTP/1.0") + chunk(BODY) + "0\r\n\r\n",
    { statuses: [200, 400] },
  ],
  ["expects what nobody does", head(LENGTH, "expect: something-else", "connection: close") + BODY, GOOD],
  ["asks for an upgrade", head(LENGTH, "connection: upgrade", "upgrade: websocket") + BODY, { statuses: [200, 400] }],
  [
    "lines before the request",
    `\r\n\r\n${head(LENGTH, "connection: close")}${BODY}`,
    { ...GOOD, statuses: [200, 400], echo: "possible" },
  ],
];

/** Too much of something, and things that are no request at all. */
const EXCESSES: readonly Raw[] = [
  [
    "one header of 64 KiB",
    head(LENGTH, `x-large: ${"h".repeat(65_536)}`) + BODY,
    { statuses: [431], silence: "allowed" },
  ],
  [
    "10,000 headers",
    head(LENGTH, ...Array.from({ length: 10_000 }, (_, at) => `x-${at}: y`)) + BODY,
    { statuses: [431], silence: "allowed" },
  ],
  [
    "3,000 short headers",
    head(LENGTH, ...Array<string>(3_000).fill("a:"), "connection: close") + BODY,
    { statuses: [200, 400, 431], silence: "allowed" },
  ],
  [
    "a target of 64 KiB",
    `GET /${"p".repeat(65_536)} HTTP/1.1\r\nhost: a\r\n\r\n`,
    { statuses: [400, 404, 414, 431], silence: "allowed" },
  ],
  ["a TLS greeting", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003", BAD],
  ["the HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", BAD],
  ["no request line", "\r\n\r\n\r\n\r\nx", BAD],
  ["no host", models("close").replace("host: gateway\r\n", ""), { statuses: [400] }],
  ["two hosts", models("close").replace("host:", "host: other\r\nhost:"), { statuses: [400] }],
  ["asks for the head alone", models("close").replace("GET", "HEAD"), { statuses: [200], body: "none" }],
  ["asterisk form", "OPTIONS * HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n", { statuses: [404, 405] }],
  ["a tunnel", "CONNECT gateway:443 HTTP/1.1\r\nhost: a\r\n\r\n", { statuses: [400, 404, 405], silence: "allowed" }],
];

const half: Step = { kind: "half_close" };
const gap: Step = { kind: "wait", ms: 20 };

/** Connections that carry more, or less, than one request. */
const CONVERSATIONS: readonly Raw[] = [
  ["junk behind a request", head(LENGTH) + BODY + "\u0000junk\r\n\r\n", { ...GOOD, statuses: [200, 400], answers: 2 }],
  ["junk behind a list of models", `${models("keep-alive")}\u0000junk\r\n\r\n`, { statuses: [200, 400], answers: 2 }],
  ["a body longer than announced", head(LENGTH) + BODY + BODY, { ...GOOD, statuses: [200, 400], answers: 2 }],
  [
    "a body shorter than announced",
    [send(head("content-length: 5000") + BODY), gap, half],
    { statuses: [400], silence: "allowed" },
  ],
  ["half a head", [send(head(LENGTH).slice(0, 90)), gap, half], { ...BAD }],
  ["half a chunk", [send(head(CHUNKED) + chunk(BODY).slice(0, 30)), gap, half], { ...BAD }],
  ["a whole request and no more", [send(head(LENGTH) + BODY), half], { statuses: [200], silence: "allowed" }],
  [
    "three requests at once",
    models("keep-alive") + head(LENGTH) + BODY + models("close"),
    { statuses: [200], answers: 3 },
  ],
  ["a request in small pieces", [{ ...send(head(LENGTH, "connection: close") + BODY), pieceBytes: 40 }], GOOD],
  ["nothing", [gap, half], { silence: "allowed" }],
];

const dripping = (text: string, everyMs: number): Step[] =>
  Array.from(text).flatMap((letter): Step[] => [send(letter), { kind: "wait", ms: everyMs }]);

/** Callers who take longer than they may. Each is a connection held for seconds, so they are few. */
const SLOW: readonly Raw[] = [
  ["headers that never end", dripping(head(LENGTH), 100), { statuses: [408], silence: "allowed" }],
  ["headers that stop", [send(head(LENGTH).slice(0, 60))], { statuses: [408], silence: "allowed" }],
  [
    "a body that never ends",
    [send(head("content-length: 100000")), ...dripping("x".repeat(200), 100)],
    { statuses: [400], silence: "allowed" },
  ],
  ["a body that stops", [send(head("content-length: 100000") + BODY)], { statuses: [400], silence: "allowed" }],
  [
    "waits to be told to go on and does not",
    [send(head("content-length: 100", "expect: 100-continue"))],
    { statuses: [400], silence: "allowed" },
  ],
];

const caseOf = ([name, bytes, expects]: Raw): FuzzCase => ({
  lane: `raw: ${name}`,
  route: "raw",
  steps: typeof bytes === "string" ? [send(Buffer.from(bytes, "latin1"))] : bytes,
  expects: { ...ORDINARY, ...expects },
  connection: "fresh",
});

export const RAW_CASES: readonly FuzzCase[] = [...FRAMINGS, ...EXCESSES, ...CONVERSATIONS].map(caseOf);
export const SLOW_CASES: readonly FuzzCase[] = SLOW.map(caseOf);

export const rawCases: Arbitrary<FuzzCase> = fc.constantFrom(...RAW_CASES);
