import { z } from "zod";
import { choice, group, integer, networks, optionalText, secret, text } from "./setting.ts";

const HOST = { pattern: /^[0-9A-Za-z.:_-]{1,253}$/, expected: "a host name or an IP address" };
const POSTGRES_URL = { pattern: /^postgres(?:ql)?:\/\/\S+$/, expected: "a URL that begins with postgres://" };
const TOKEN = { pattern: /^[\x21-\x7e]{16,512}$/, expected: "16 to 512 printable characters without spaces" };
const BASE_URL = {
  pattern: /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*[^\s?#/])?$/,
  expected: "an http or https URL without credentials, query or trailing slash",
};
const DECIMAL = {
  pattern: /^(?=.*[1-9])\d{1,12}(?:\.\d{1,9})?$/,
  expected: "a decimal above zero with at most nine digits after the point",
};
const KEY_OF_32_BYTES = {
  pattern: /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/,
  expected: "32 bytes in base64, as `openssl rand -base64 32` makes them",
};

const DIRECTORIES = {
  pattern: /^(?:\/[^,\0]*(?:,\/[^,\0]*)*)?$/,
  expected: "absolute paths separated by commas",
};

const LONGEST_MS = 86_400_000;
const milliseconds = (fallback: number, description: string) =>
  integer({ min: 1, max: LONGEST_MS, fallback }, description);
/** For waits that may be switched off with 0. */
const millisecondsOrNone = (fallback: number, description: string) =>
  integer({ min: 0, max: LONGEST_MS, fallback }, description);
const count = (fallback: number, description: string) => integer({ min: 1, max: 10_000_000, fallback }, description);
const port = (fallback: number, description: string, environment?: string) =>
  integer({ min: 0, max: 65_535, fallback, ...(environment && { environment }) }, description);

/**
 * Every setting there is. The file `tollgate.yaml`, the environment variables, the reference page, the example file and the
 * schema for editors are all read from here. A variable is named after its path unless the field says otherwise.
 */
export const settings = z.strictObject({
  listen: group("Where callers connect.", {
    host: text(
      { ...HOST, fallback: "127.0.0.1", environment: "HOST" },
      "Address to listen on; 0.0.0.0 is every IPv4 address.",
    ),
    port: port(8080, "Port to listen on; 0 takes any free one.", "PORT"),
    trusted_proxies: networks(
      "Proxies whose `X-Forwarded-For` or `Forwarded` header says where a request comes from, as addresses or networks separated by commas.",
    ),
  }),
  public_url: optionalText(BASE_URL, "Base URL callers use, as shown in messages; unset, it is made of host and port."),
  admin: group("Where operators connect. Metrics and everything operational are here, never on the public port.", {
    host: text({ ...HOST, fallback: "127.0.0.1" }, "Address of the admin listener."),
    port: port(8081, "Port of the admin listener; 0 takes any free one."),
    token: secret(TOKEN, "Operators present it as a bearer token. `tollgate serve` does not start without it."),
    metrics_token: secret(
      TOKEN,
      "A second token that reads `/metrics` and nothing else, for Prometheus. Unset, only the admin token reads metrics.",
    ),
  }),
  database: group("The PostgreSQL that holds keys, balances and records.", {
    url: secret(
      { ...POSTGRES_URL, environment: "DATABASE_URL" },
      "Where the database is. `tollgate serve` does not start without it.",
    ),
    direct_url: secret(
      POSTGRES_URL,
      "The same database without a pooler in between, for LISTEN; unset, `url` is used. Needed where `url` leads through a pooler in transaction mode.",
    ),
    pool_size: integer({ min: 1, max: 1000, fallback: 10 }, "Connections each process keeps at most."),
    statement_timeout_ms: milliseconds(5000, "A statement that runs longer is cancelled by the server."),
    connect_timeout_ms: milliseconds(3000, "A connection that is not ready by then is given up."),
  }),
  limits: group("Bounds on what one process takes on. Past a bound callers are refused, nothing queues without end.", {
    body_bytes: integer({ min: 1024, max: 1_073_741_824, fallback: 33_554_432 }, "Largest request body."),
    body_threads: integer(
      { min: 1, max: 64, fallback: 2 },
      "Threads of each process that read and translate bodies and answers of more than 64 KiB, so that no other request waits for them.",
    ),
    json_depth: integer({ min: 4, max: 1024, fallback: 64 }, "Deepest nesting in a request body."),
    media_urls: choice(
      { values: ["https", "none"], fallback: "https" },
      "Where providers may be told to fetch images and files: any https address, or none, so that media comes inline.",
    ),
    open_requests: count(10_000, "Requests in progress at once; more are answered with 503."),
    key_share_percent: integer(
      { min: 1, max: 100, fallback: 25 },
      "Share of `open_requests` (4 at least) and of `body_budget_bytes` that one key may hold; more is answered with 429.",
    ),
    body_budget_bytes: integer(
      { min: 1024, max: 1_099_511_627_776, fallback: 536_870_912 },
      "Bodies of all requests in progress together; more is answered with 503.",
    ),
    body_bytes_per_second: integer(
      { min: 0, max: 1_048_576, fallback: 1024 },
      "Slowest that a request body may arrive, over five seconds; 0 is no minimum.",
    ),
    unfunded_body_bytes: integer(
      { min: 0, max: 1_073_741_824, fallback: 65_536 },
      "Largest request body of a key that has no credit or tokens left.",
    ),
    connections: count(20_000, "Connections held at once; more are closed as they come."),
    address_share_percent: integer(
      { min: 1, max: 100, fallback: 25 },
      "Share of `connections` that one address, or one IPv6 network (/64), may hold; trusted proxies and loopback are exempt.",
    ),
    header_bytes: integer({ min: 1024, max: 1_048_576, fallback: 16_384 }, "All headers of a request together."),
    headers_timeout_ms: milliseconds(10_000, "Time for the headers of a request to arrive."),
    body_timeout_ms: milliseconds(30_000, "Time for a request to arrive whole, its headers included."),
    stream_deadline_ms: milliseconds(300_000, "Longest generation, streamed or not."),
    keep_alive_ms: milliseconds(15_000, "A stream silent for this long is sent a sign of life."),
    client_buffer_bytes: integer(
      { min: 1024, max: 67_108_864, fallback: 262_144 },
      "Bytes waiting for a slow caller before the provider is paused.",
    ),
    client_stall_ms: milliseconds(30_000, "A caller that takes nothing for this long is cut off."),
  }),
  drain: group("How a process goes away after SIGTERM.", {
    delay_ms: millisecondsOrNone(
      0,
      "Time between reporting not ready and refusing connections, for load balancers to notice.",
    ),
    deadline_ms: millisecondsOrNone(
      310_000,
      "Time for open requests to finish; what is left is then cut, with an error, and costs nothing.",
    ),
  }),
  auth: group("How callers present their key.", {
    accept_equal_credentials: choice(
      { values: ["off", "on"], fallback: "off" },
      "With `on`, one key sent in both `Authorization` and `x-api-key` counts as one credential. Two different ones are refused either way.",
    ),
  }),
  keys: group("The memory of recently used keys. Changes reach it at once by notification; times are the fallback.", {
    cache_entries: count(50_000, "Keys remembered."),
    cache_ms: milliseconds(60_000, "Longest time a key is trusted without asking the database again."),
    negative_cache_entries: count(
      10_000,
      "Unknown keys remembered, so that a flood of them does not reach the database.",
    ),
    negative_cache_ms: milliseconds(5000, "Longest time a key is held to be unknown."),
    unknown_per_minute: integer(
      { min: 0, max: 1_000_000, fallback: 600 },
      "Unknown keys looked up per minute for one address, or one IPv6 network (/64), then 429; 0 is no limit. Keys that were issued are never refused for it.",
    ),
  }),
  catalogue: group("Models, prices and routes.", {
    poll_ms: milliseconds(30_000, "How often the catalogue is read again, should a notification have been lost."),
  }),
  credential: group("Providers' credentials: those stored in the database, encrypted, and those in files.", {
    key: secret(
      KEY_OF_32_BYTES,
      "Seals and opens them: 32 random bytes in base64. Needed by every process that uses one, and by the commands that store them.",
    ),
    previous_key: secret(
      KEY_OF_32_BYTES,
      "Opens what an older key has sealed, until `tollgate providers rekey` has sealed it anew.",
    ),
    directories: text(
      { ...DIRECTORIES, fallback: "/run/secrets" },
      "Directories below which the files of `file:` references must be, links resolved, separated by commas; empty: no such references.",
    ),
  }),
  ledger: group("How a process talks to the ledger, and what it risks on requests that never end.", {
    timeout_ms: milliseconds(
      1500,
      "Longest a request waits since the ledger last responded to any call; it then gets 503. While the ledger works through a burst, a request may wait ten times as long.",
    ),
    settle_timeout_ms: milliseconds(
      5000,
      "Longest a finished response waits since the ledger last responded to any call; it then ends with an error and costs nothing.",
    ),
    queue: count(10_000, "Calls of one kind that may wait at once; more are refused with 503."),
    batch_items: integer({ min: 1, max: 10_000, fallback: 256 }, "Calls sent to the database together at most."),
    batch_bytes: integer(
      { min: 65_536, max: 268_435_456, fallback: 4_194_304 },
      "Bytes sent to the database together at most; a single call may be larger.",
    ),
    pace_ms: millisecondsOrNone(
      3,
      "Least time between two batches of one kind, unless a whole one waits; larger batches cost less, later answers more.",
    ),
    retry_ms: milliseconds(100, "Wait between two tries of a batch whose connection was lost."),
    void_timeout_ms: milliseconds(
      600_000,
      "Longest an undoing is tried, for a request whose caller was told that it failed; what remains is swept.",
    ),
    checkpoint_worth: text(
      { ...DECIMAL, fallback: "0.01" },
      "Credits a stream delivers between two checkpoints: what a crash of the process can leave unbilled of it.",
    ),
    checkpoint_tokens: count(2000, "The same for keys with a token budget, in tokens."),
    require_synchronous_standby: choice(
      { values: ["off", "on"], fallback: "off" },
      "With `on`, requests are refused with 503 while the database has no synchronous standby, so that no charge is on one server alone. Looked at every two seconds and after every lost connection.",
    ),
    write_off_cap: text(
      { ...DECIMAL, fallback: "1" },
      "Credits the operator absorbs per key and hour: work for clients that disconnected before the response, and charges beyond the key's balance. The key is then suspended. Output of streams that a provider broke off is free up to this cap, then charged.",
    ),
    write_off_cap_tokens: integer(
      { min: 1, max: 1_000_000_000_000, fallback: 1_000_000 },
      "The same for keys with a token budget, in tokens; a million is five whole prompts of 200,000.",
    ),
  }),
  idempotency: group("Answers kept for callers that ask again with the same Idempotency-Key.", {
    body_bytes: integer(
      { min: 0, max: 67_108_864, fallback: 1_048_576 },
      "Largest answer that is stored; the repetition of a larger one is refused with 409, and 0 stores none.",
    ),
  }),
  upstream: group("Connections to providers.", {
    connections_per_origin: integer(
      { min: 1, max: 65_535, fallback: 10_000 },
      "Connections each process opens to one provider at most; a stream holds one, so fewer than `limits.open_requests` makes calls wait.",
    ),
    anthropic_betas: text(
      {
        pattern: /^(?:[a-z0-9.-]{1,100}(?:,[a-z0-9.-]{1,100}){0,99})?$/,
        expected: "flags separated by commas",
        fallback: "",
      },
      "Flags of the `anthropic-beta` header to pass on beside those known to be harmless, separated by commas.",
    ),
  }),
  log: group("What is written to standard output, one JSON object per line.", {
    level: choice(
      {
        values: ["trace", "debug", "info", "warn", "error", "fatal", "silent"],
        fallback: "info",
        environment: "LOG_LEVEL",
      },
      "Least important level that is written.",
    ),
  }),
  credit_usd: text({ ...DECIMAL, fallback: "1" }, "What one credit is worth in US dollars, as shown to callers."),
});
