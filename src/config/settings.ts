import { z } from "zod";
import {
  HOST,
  POSTGRES_URL,
  TOKEN,
  BASE_URL,
  COLLECTOR_URL,
  DECIMAL,
  FRACTION,
  HEADER_LIST,
} from "./settings/patterns.ts";
import { credentialSettings } from "./settings/credential-settings.ts";
import { drainSettings } from "./settings/drain-settings.ts";
import { initSettings } from "./settings/init-settings.ts";
import { priceCheckSettings } from "./settings/price-check-settings.ts";
import { recordSettings } from "./settings/record-settings.ts";
import { verificationSettings } from "./settings/verification-settings.ts";
import { signInSettings } from "./settings/sign-in-settings.ts";
import { webSocketSettings } from "./settings/web-socket-settings.ts";
import { choice, group, integer, networks, optionalText, secret, text, webhooks } from "./settings/setting.ts";

const ADMIN_URL =
  "URL at which operators open the admin listener in a browser, such as https://tollgate.example.com. Set it if they connect through a proxy. People sign in only here or on the machine itself; with https, session cookies are sent over https alone.";
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
  listen: group("Where clients connect.", {
    host: text(
      { ...HOST, fallback: "127.0.0.1", environment: "HOST" },
      "Address to listen on. Set 0.0.0.0 to listen on every IPv4 address.",
    ),
    port: port(8080, "Port to listen on. 0 picks a free port.", "PORT"),
    trusted_proxies: networks(
      "Addresses or networks of your reverse proxies, separated by commas. Tollgate reads the client's address from their `X-Forwarded-For` or `Forwarded` header. Set it if clients connect through a proxy.",
    ),
  }),
  public_url: optionalText(
    BASE_URL,
    "Base URL that clients use, as shown in messages and in the API description. Set it if clients connect through a proxy. If unset, messages show the address of the listener, and the API description has relative URLs.",
  ),
  admin: group("Where operators connect. The admin API and metrics are served here and never on the public port.", {
    host: text({ ...HOST, fallback: "127.0.0.1" }, "Address of the admin listener. Keep it private."),
    port: port(8081, "Port of the admin listener. 0 picks a free port."),
    public_url: optionalText(BASE_URL, ADMIN_URL),
    token: secret(
      TOKEN,
      "The automation token: a bearer token that gives full access to the admin listener, for programs. People have accounts of their own. `tollgate serve` does not start without it.",
    ),
    metrics_token: secret(
      TOKEN,
      "Bearer token that can only read metrics. Give it to Prometheus. If unset, the automation token and people can read metrics.",
    ),
  }),
  init: initSettings,
  sign_in: signInSettings,
  database: group("The PostgreSQL database that stores keys, accounts, money and the journal.", {
    url: secret(
      { ...POSTGRES_URL, environment: "DATABASE_URL" },
      "Connection URL of the database. For failover, list several hosts, separated by commas; Tollgate uses the one that accepts writes. `tollgate serve` does not start without this setting.",
    ),
    direct_url: secret(
      POSTGRES_URL,
      "URL of the same database without a pooler, used for LISTEN. Set it if `url` leads to a pooler in transaction mode. If unset, `url` is used.",
    ),
    pool_size: integer(
      { min: 1, max: 1000, fallback: 10 },
      "Maximum number of pooled connections per process. PostgreSQL's `max_connections` must allow the total of all processes.",
    ),
    prepared_statements: choice(
      { values: ["auto", "on", "off"], fallback: "auto" },
      "Whether PostgreSQL parses and plans the most frequent statements once per connection. `auto` does so on connections that lead to the server itself, not to a pooler. Set `on` behind a pooler that supports prepared statements, such as PgBouncer 1.21 or later with `max_prepared_statements`.",
    ),
    disk_bytes: integer(
      { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 },
      "Size of the database server's disk, in bytes, for the alerts that warn before it is full. PostgreSQL does not know it. 0 if you watch the disk in another way.",
    ),
    statement_timeout_ms: milliseconds(
      5000,
      "Longest time a statement may run, in milliseconds. PostgreSQL then cancels it.",
    ),
    connect_timeout_ms: milliseconds(
      3000,
      "Longest wait for a database connection, in milliseconds. The call then fails.",
    ),
  }),
  operator: group(
    "Limits on what operators, reports and request records may take from the database. They have connections of their own, so that a slow report never delays a generation. `tollgate dev` has one connection for everything.",
    {
      connections: integer(
        { min: 1, max: 100, fallback: 4 },
        "Maximum number of connections per process for the admin API, in addition to `database.pool_size`. Raise it if operators get 503 while the database is idle.",
      ),
      statement_timeout_ms: milliseconds(
        5000,
        "Longest time a statement of the admin API may run, in milliseconds. PostgreSQL then cancels it, and the operator gets 503. A transaction that is idle for twice as long is ended.",
      ),
      queue: integer(
        { min: 0, max: 10_000, fallback: 64 },
        "Maximum number of statements that wait for one of these connections. More get 503 at once. A statement waits for at most `database.connect_timeout_ms`.",
      ),
    },
  ),
  limits: group("Limits for each process. Work beyond a limit is rejected, so that no queue grows without bound.", {
    body_bytes: integer(
      { min: 1024, max: 1_073_741_824, fallback: 33_554_432 },
      "Largest request body, in bytes. A larger one gets 400. Raise it if clients send larger images or files inline.",
    ),
    body_threads: integer(
      { min: 1, max: 64, fallback: 2 },
      "Threads per process that read and translate request and response bodies of more than 64 KiB, so that other requests do not wait for them. Raise it if large requests wait and processors are idle.",
    ),
    json_depth: integer(
      { min: 4, max: 1024, fallback: 64 },
      "Deepest nesting of arrays and objects in a request body. A deeper one gets 400.",
    ),
    media_urls: choice(
      { values: ["https", "none"], fallback: "https" },
      "Which URLs of images and files requests may contain: `https` allows any https URL, `none` only inline data. Set `none` if your providers can reach private machines.",
    ),
    open_requests: count(10_000, "Maximum number of requests in progress. More get 503."),
    key_share_percent: integer(
      { min: 1, max: 100, fallback: 25 },
      "Percentage of `open_requests` and of `body_budget_bytes` that one key may use; more gets 429. A person counts as one key, with all their sessions and the keys of their own account. Everybody may use at least 4 requests and `body_bytes`.",
    ),
    body_budget_bytes: integer(
      { min: 1024, max: 1_099_511_627_776, fallback: 536_870_912 },
      "Maximum size of the bodies of all requests in progress together, in bytes. More get 503. Set it according to the memory of the process.",
    ),
    body_bytes_per_second: integer(
      { min: 0, max: 1_048_576, fallback: 1024 },
      "Minimum rate at which a request body must arrive, in bytes per second, measured over 5 seconds. A slower one gets 400. 0 sets no minimum.",
    ),
    unfunded_body_bytes: integer(
      { min: 0, max: 1_073_741_824, fallback: 65_536 },
      "Largest request body, in bytes, of a key with no credits or tokens available. A larger one is rejected.",
    ),
    connections: count(20_000, "Maximum number of open client connections. More are closed on arrival."),
    address_share_percent: integer(
      { min: 1, max: 100, fallback: 25 },
      "Percentage of `connections` that one address, or one IPv6 network (/64), may use. More are closed on arrival. Trusted proxies and loopback addresses are exempt.",
    ),
    header_bytes: integer(
      { min: 1024, max: 1_048_576, fallback: 16_384 },
      "Maximum size of all headers of a request together, in bytes. Larger headers get 431.",
    ),
    headers_timeout_ms: milliseconds(
      10_000,
      "Longest time until the headers of a request have arrived, in milliseconds. Later ones get 408.",
    ),
    body_timeout_ms: milliseconds(
      300_000,
      "Longest time until the body of a request has arrived, in milliseconds. A later one gets 400. By default 32 MiB have the time to arrive at 1 Mbit/s; `body_bytes_per_second` ends bodies that stop. It is part of `stream_deadline_ms`.",
    ),
    stream_deadline_ms: milliseconds(
      300_000,
      "Longest time from the start of a request to the end of its response, streamed or not, in milliseconds. A plain response may take all of it. The response then ends with an error. If you raise it, raise `drain.deadline_ms` too.",
    ),
    keep_alive_ms: millisecondsOrNone(
      15_000,
      "Longest silence in a stream before Tollgate sends a keep-alive message, in milliseconds. Keep it below the idle timeout of proxies in between. 0 turns keep-alive messages off.",
    ),
    client_buffer_bytes: integer(
      { min: 1024, max: 67_108_864, fallback: 262_144 },
      "Bytes that may wait for a slow client. Beyond them, Tollgate stops reading from the provider until the client catches up.",
    ),
    client_stall_ms: milliseconds(
      30_000,
      "Longest time a client may leave waiting data unread, in milliseconds. It is then disconnected.",
    ),
  }),
  websocket: webSocketSettings,
  drain: drainSettings,
  auth: group("How clients send their key.", {
    accept_equal_credentials: choice(
      { values: ["off", "on"], fallback: "off" },
      "`on` accepts the same key in both `Authorization` and `x-api-key`. Set it if a client sends both headers. Two different keys are always rejected.",
    ),
  }),
  usage: group("What `GET /v1/usage` tells key holders.", {
    show_accounts: choice(
      { values: ["on", "off"], fallback: "on" },
      "`off` hides the figures of accounts. A key then shows its own purse and limits only, and a key without any shows zeros and says that its account pays.",
    ),
  }),
  holder: group(
    "The API at `/me`, where key holders read the usage, the ledger and the requests of their own key, and generate from the console.",
    {
      enabled: choice(
        { values: ["on", "off"], fallback: "on" },
        "`off` removes every path below `/me` from the public listener.",
      ),
      reads_per_minute: integer(
        { min: 1, max: 1_000_000, fallback: 120 },
        "Reads and sign-ins per key and minute, for each process. More get 429. They do not count as requests of the key.",
      ),
    },
  ),
  keys: group(
    "Cache of recently used keys. Notifications of changes update it at once; the times limit how old an entry can get if a notification is lost.",
    {
      cache_entries: count(
        50_000,
        "Maximum number of cached keys. Raise it if more keys than this are in use at the same time.",
      ),
      cache_ms: milliseconds(
        60_000,
        "Longest time a cached key is used before it is read from the database again, in milliseconds.",
      ),
      negative_cache_entries: count(
        10_000,
        "Maximum number of cached unknown keys. The cache keeps repeated unknown keys away from the database.",
      ),
      negative_cache_ms: milliseconds(
        5000,
        "Longest time an unknown key is rejected without a database query, in milliseconds.",
      ),
      unknown_per_minute: integer(
        { min: 0, max: 1_000_000, fallback: 600 },
        "Unknown keys that one address, or one IPv6 network (/64), may try per minute. More get 429. 0 sets no limit. Issued keys are never rejected because of this limit.",
      ),
      accept_foreign: choice(
        { values: ["off", "on"], fallback: "off" },
        "`on` accepts keys that kept the secret of another product, and lets operators create them. Set it while you move clients from another gateway. `off` rejects every secret that Tollgate did not make, without a database query.",
      ),
      foreign_unknown_per_minute: integer(
        { min: 1, max: 1_000_000, fallback: 60 },
        "With `accept_foreign`: unknown secrets of other products that one address, or one IPv6 network (/64), may try per minute. More get 429. Keys that exist are never rejected because of this limit.",
      ),
    },
  ),
  catalogue: group("The catalogue of models, prices and routes.", {
    poll_ms: milliseconds(
      30_000,
      "Interval at which the catalogue is reloaded in case a notification was lost, in milliseconds.",
    ),
  }),
  credential: credentialSettings,
  ledger: group("Timeouts and batches of calls to the ledger, and limits on the cost the operator absorbs.", {
    timeout_ms: milliseconds(
      1500,
      "Longest time a new request waits while the ledger does not respond, in milliseconds. It then gets 503. While the ledger responds to other requests, a new one may wait up to ten times as long.",
    ),
    settle_timeout_ms: milliseconds(
      5000,
      "Longest time a finished response waits for its charge while the ledger does not respond, in milliseconds. It then ends with an error and costs nothing. While the ledger responds to other requests, the response may wait up to ten times as long.",
    ),
    queue: count(10_000, "Maximum number of calls of one kind that wait for the ledger. More get 503."),
    batch_items: integer(
      { min: 1, max: 10_000, fallback: 256 },
      "Maximum number of calls sent to the database in one batch.",
    ),
    batch_bytes: integer(
      { min: 65_536, max: 268_435_456, fallback: 4_194_304 },
      "Maximum size of one batch, in bytes. A single call may be larger.",
    ),
    pace_ms: millisecondsOrNone(
      3,
      "Shortest time between two batches of one kind in a busy process, in milliseconds. A full batch is sent at once, and so are the end of a stream and every batch of a process with time to spare. Raise it to lower the load on the database; each response of a busy process then takes longer.",
    ),
    retry_ms: milliseconds(100, "Wait before a batch is retried after its connection was lost, in milliseconds."),
    void_timeout_ms: milliseconds(
      600_000,
      "Longest time the gateway retries to void a failed request, or to book a charge after the client disconnected, in milliseconds. After that, the sweep ends the hold.",
    ),
    checkpoint_worth: text(
      { ...DECIMAL, fallback: "0.01" },
      "Credits a stream may cost between two checkpoints. If the process crashes, up to about this much of each stream is not charged. A lower value writes more often to the database.",
    ),
    checkpoint_tokens: count(2000, "Like `checkpoint_worth`, in tokens, for keys with a token budget."),
    require_synchronous_standby: choice(
      { values: ["off", "on"], fallback: "off" },
      "`on` rejects requests with 503 while the database has no synchronous standby. Set it if no charge may be lost with a single server. Checked at start, every 2 seconds and after every lost connection.",
    ),
    write_off_cap: text(
      { ...DECIMAL, fallback: "1" },
      "Credits the operator absorbs per key and hour. Everything a person signs in with or has in their own account counts together. If charges exceed the key's balance, if a provider produced output for a client that had disconnected, or if hidden reasoning is in doubt, the key is suspended beyond this cap, or everything the person uses. The input of a stream whose client disconnects before the provider responds, and the output of a provider that fails during a stream, are free up to this cap and charged beyond it. What failed requests cost the operator on one route is estimated in each process; beyond this cap, such requests of the key or person are paused there.",
    ),
    write_off_cap_tokens: integer(
      { min: 1, max: 1_000_000_000_000, fallback: 1_000_000 },
      "Like `write_off_cap`, in tokens, for keys with a token budget. 1,000,000 tokens are five prompts of 200,000.",
    ),
    account_write_off_factor: integer(
      { min: 1, max: 1_000_000, fallback: 10 },
      "How many times `write_off_cap` the operator absorbs per account and hour, of all of its keys together. Beyond that, the key whose request exceeded it is suspended, never the account. Raise it for accounts with hundreds of busy keys.",
    ),
  }),
  verification: verificationSettings,
  price_check: priceCheckSettings,
  notices: group(
    "Where people are told that a limit is nearly used or a purse runs low. Every notice is in the log; webhooks are off by default.",
    {
      webhooks: webhooks(
        "Webhooks that get every notice, signed as in the Standard Webhooks specification: `NAME=URL whsec_SECRET`, separated by commas, at most 8. Write two secrets, separated by a space, while you change one. Any address that the gateway can reach is allowed.",
      ),
      timeout_ms: integer(
        { min: 100, max: 60_000, fallback: 15_000 },
        "Longest time a webhook may take to respond, in milliseconds. The notice is then sent again later.",
      ),
    },
  ),
  records: recordSettings,
  idempotency: group("Responses stored for clients that retry with the same `Idempotency-Key`.", {
    body_bytes: integer(
      { min: 0, max: 67_108_864, fallback: 1_048_576 },
      "Largest response that is stored, in bytes. If a response was larger, its retry gets 409. 0 stores none.",
    ),
  }),
  upstream: group("Connections to providers.", {
    connections_per_origin: integer(
      { min: 1, max: 65_535, fallback: 10_000 },
      "Maximum number of connections per process to one provider. Each running call uses one. If you set it below `limits.open_requests`, calls may wait for a connection.",
    ),
    anthropic_betas: text(
      {
        pattern: /^(?:[a-z0-9.-]{1,100}(?:,[a-z0-9.-]{1,100}){0,99})?$/,
        expected: "flags in lower case, separated by commas",
        fallback: "",
      },
      "Additional flags of the `anthropic-beta` header to forward to providers, separated by commas. Set it if clients need a flag that Tollgate removes because it is not in its own list.",
    ),
  }),
  log: group("The log on standard output, one JSON object per line.", {
    level: choice(
      {
        values: ["trace", "debug", "info", "warn", "error", "fatal", "silent"],
        fallback: "info",
        environment: "LOG_LEVEL",
      },
      "Lowest level that is written: `info` also writes warn, error and fatal; `silent` writes nothing.",
    ),
  }),
  metrics: group("Metrics for Prometheus, on the admin listener.", {
    key_series: integer(
      { min: 0, max: 10_000, fallback: 100 },
      "How many keys have metrics of their own, named by the key's prefix; the rest are counted as `other`. Each key adds up to 7 series. Raise it if you have more active keys; 0 names none.",
    ),
    model_series: integer(
      { min: 0, max: 10_000, fallback: 100 },
      "How many pairs of a model and its provider have metrics of their own; further models are counted as `other`. Each pair adds up to 30 series, and one for each error code. 0 names none.",
    ),
  }),
  traces: group("OpenTelemetry traces: spans for each request, its provider calls and its ledger calls.", {
    endpoint: optionalText(
      { ...COLLECTOR_URL, environment: "OTEL_EXPORTER_OTLP_ENDPOINT" },
      "Base URL of a collector that accepts OTLP over HTTP, such as `http://127.0.0.1:4318`. Spans are sent to `/v1/traces` below it. If unset, none are sent.",
    ),
    headers: secret(
      { ...HEADER_LIST, environment: "OTEL_EXPORTER_OTLP_HEADERS" },
      "Headers for the collector, such as its credential: `name=value`, separated by commas, values percent-encoded.",
    ),
    service_name: text(
      {
        pattern: /^[\x20-\x7e]{1,256}$/,
        expected: "1 to 256 printable characters",
        fallback: "tollgate",
        environment: "OTEL_SERVICE_NAME",
      },
      "The `service.name` of the spans.",
    ),
    sample: text({ ...FRACTION, fallback: "1" }, "Share of requests that are traced, from 0 to 1."),
    parent: choice(
      { values: ["ignore", "continue"], fallback: "ignore" },
      "Whether a request with a `traceparent` header continues the trace it names. `continue` lets the sender decide which requests are traced: set it only if a proxy of yours sets the header.",
    ),
  }),
  cli: group(
    "Which gateway the commands of operators talk to. Without these, they work on the database of `database.url`. Commands that need the database itself, such as `tollgate migrate`, do not use them.",
    {
      url: optionalText(
        { ...BASE_URL, environment: "TOLLGATE_URL" },
        "URL of the admin listener of a running gateway, such as `https://gateway.example.com:8081`. Commands then go through its admin API, even if `database.url` is set.",
      ),
      token: secret(
        { ...TOKEN, environment: "TOLLGATE_TOKEN" },
        "Credential for `cli.url`: a personal token or the automation token.",
      ),
    },
  ),
  credit_usd: text(
    { ...DECIMAL, fallback: "1" },
    "Value of one credit in US dollars, used in usage summaries and when you import prices. A change does not affect stored prices and balances.",
  ),
});
