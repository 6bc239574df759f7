import { type Board, of, quantile, rate } from "./board.ts";

const GENERATIONS = 'route=~"chat_completions|responses|messages"';

export const overview: Board = {
  uid: "tollgate-overview",
  title: "Tollgate overview",
  description: "Do key holders get answers, and if not, why? Start here.",
  rows: [
    {
      title: "Now",
      height: 4,
      panels: [
        {
          title: "Generations that succeed",
          description: "Over 5 minutes, without requests rejected for what the client did. The objective is 99.9 %.",
          kind: "stat",
          unit: "percentunit",
          queries: [{ expr: '1 - job:tollgate_generations_failed:ratio_rate5m{job="$job"}' }],
          thresholds: ["red", { from: 0.99, colour: "orange" }, { from: 0.999, colour: "green" }],
        },
        {
          title: "Error budget burn, 1 h",
          description: "At 1 the budget of 30 days lasts exactly 30 days; at 14.4 it lasts 2 days, and an alert fires.",
          kind: "stat",
          unit: "× budget",
          queries: [{ expr: 'job:tollgate_generations_failed:ratio_rate1h{job="$job"} / 0.001' }],
          thresholds: ["green", { from: 1, colour: "orange" }, { from: 14.4, colour: "red" }],
        },
        {
          title: "Requests",
          description: "All requests but health checks, per second.",
          kind: "stat",
          unit: "reqps",
          queries: [{ expr: `sum(${rate("tollgate_requests_total", 'route!="health"')})` }],
        },
        {
          title: "Open streams",
          description: "Streams in progress on all gateways.",
          kind: "stat",
          unit: "short",
          queries: [{ expr: `sum(${of("tollgate_open_streams")})` }],
        },
        {
          title: "Ledger",
          description: "Whether the ledger confirms charges to every gateway. When it is down, requests get 503.",
          kind: "stat",
          unit: "none",
          queries: [{ expr: `min(${of("tollgate_ledger_up")})` }],
          thresholds: ["red", { from: 1, colour: "green" }],
          words: { 0: { text: "down", colour: "red" }, 1: { text: "up", colour: "green" } },
        },
        {
          title: "Alerts",
          description: "Alerts of Tollgate that fire.",
          kind: "stat",
          unit: "short",
          queries: [{ expr: 'count(ALERTS{alertname=~"Tollgate.*",alertstate="firing"}) or vector(0)' }],
          thresholds: ["green", { from: 1, colour: "red" }],
        },
      ],
    },
    {
      title: "Alerts",
      height: 6,
      panels: [
        {
          title: "Alerts that fire or are about to",
          description: "The runbook of each is in docs/operate/failure-modes.md.",
          kind: "table",
          unit: "none",
          queries: [
            {
              expr: 'sum by (alertname, alertstate, severity, instance, provider, upstream_model, kind, duty) (ALERTS{alertname=~"Tollgate.*"})',
            },
          ],
        },
      ],
    },
    {
      title: "What key holders get",
      height: 8,
      panels: [
        {
          title: "Requests by status",
          description:
            "5xx is the gateway's or a provider's failure; 4xx is a rejected request; 499 a client that disconnected.",
          kind: "stacked",
          unit: "reqps",
          colours: { "^2": "green", "^4": "orange", "^5": "red", "^499": "blue" },
          queries: [
            { expr: `sum by (status) (${rate("tollgate_requests_total", 'route!="health"')})`, legend: "{{status}}" },
          ],
        },
        {
          title: "Errors by code",
          description:
            "Error codes of responses and of streams that ended with an error. docs/reference/errors.md explains each.",
          kind: "lines",
          unit: "reqps",
          queries: [{ expr: `sum by (code) (${rate("tollgate_requests_total", 'code!=""')})`, legend: "{{code}}" }],
        },
      ],
    },
    {
      title: "Speed",
      height: 8,
      panels: [
        {
          title: "Time to the first byte of a provider",
          description:
            "From the arrival of a generation. If it rises and the time in the gateway does not, a provider is slow.",
          kind: "lines",
          unit: "s",
          queries: [0.5, 0.95, 0.99].map((share) => ({
            expr: quantile(share, "tollgate_first_byte_seconds"),
            legend: `p${share * 100}`,
          })),
        },
        {
          title: "Time in the gateway",
          description:
            "Of generations, without waiting for providers. An alert fires when half of them take more than 0.1 s.",
          kind: "lines",
          unit: "s",
          queries: [0.5, 0.95, 0.99].map((share) => ({
            expr: quantile(share, "tollgate_overhead_seconds", GENERATIONS),
            legend: `p${share * 100}`,
          })),
        },
        {
          title: "Event loop lag",
          description: "How late a process is, 99th percentile. Above 0.25 s it has too much to do: add workers.",
          kind: "lines",
          unit: "s",
          queries: [{ expr: of("nodejs_eventloop_lag_p99_seconds"), legend: "{{instance}}" }],
          thresholds: ["green", { from: 0.25, colour: "red" }],
        },
      ],
    },
    {
      title: "Ledger and database",
      height: 8,
      panels: [
        {
          title: "Time of a ledger turn",
          description: "From sending a batch of calls until the database answered. If it rises, look at the database.",
          kind: "lines",
          unit: "s",
          queries: [0.5, 0.95, 0.99].map((share) => ({
            expr: quantile(share, "tollgate_ledger_turn_seconds", 'lane="turn"'),
            legend: `p${share * 100}`,
          })),
        },
        {
          title: "Wait before a ledger turn",
          description: "How long calls wait until they are sent. If it rises alone, the process has too much to do.",
          kind: "lines",
          unit: "s",
          queries: [0.5, 0.95, 0.99].map((share) => ({
            expr: quantile(share, "tollgate_ledger_queue_seconds", 'lane="turn"'),
            legend: `p${share * 100}`,
          })),
        },
        {
          title: "Wait for a database connection",
          description:
            "99th percentile by pool. If it rises, the database is slow, or `database.pool_size` is too small.",
          kind: "lines",
          unit: "s",
          queries: [
            { expr: quantile(0.99, "tollgate_database_connection_seconds", 'pool="requests"'), legend: "requests" },
            { expr: quantile(0.99, "tollgate_database_connection_seconds", 'pool="operator"'), legend: "operator" },
          ],
        },
      ],
    },
    {
      title: "Database server",
      height: 6,
      panels: [
        {
          title: "Size of the database",
          description:
            "Tollgate's database, and all that was seen of the tablespaces it is in. Read every five minutes.",
          kind: "lines",
          unit: "bytes",
          queries: [
            { expr: `max(${of("tollgate_database_size_bytes")})`, legend: "database" },
            { expr: `max(${of("tollgate_database_tablespaces_bytes")})`, legend: "tablespaces" },
          ],
        },
        {
          title: "Difference of clocks",
          description: "Between each gateway and the database, without the uncertainty. An alert fires at 1 s.",
          kind: "lines",
          unit: "s",
          queries: [
            {
              expr: `clamp_min(abs(${of("tollgate_database_clock_ahead_seconds")}) - ${of("tollgate_database_clock_uncertainty_seconds")}, 0)`,
              legend: "{{instance}}",
            },
          ],
          thresholds: ["green", { from: 1, colour: "red" }],
        },
      ],
    },
    {
      title: "Load",
      height: 7,
      panels: [
        {
          title: "In progress",
          description: "Open requests and streams. A process rejects requests above `limits.open_requests`.",
          kind: "lines",
          unit: "short",
          queries: [
            { expr: `sum(${of("tollgate_open_requests")})`, legend: "requests" },
            { expr: `sum(${of("tollgate_open_streams")})`, legend: "streams" },
            { expr: `sum(${of("tollgate_draining")})`, legend: "processes draining" },
          ],
        },
        {
          title: "Tokens",
          description: "Tokens charged for, per second.",
          kind: "lines",
          unit: "tokens/s",
          queries: [{ expr: `sum by (direction) (${rate("tollgate_tokens_total")})`, legend: "{{direction}}" }],
        },
        {
          title: "Processors",
          description: "Processor time used by each gateway, in processors.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: rate("process_cpu_seconds_total"), legend: "{{instance}}" }],
        },
        {
          title: "Memory",
          description: "Resident memory of each gateway, all workers together.",
          kind: "lines",
          unit: "bytes",
          queries: [{ expr: of("process_resident_memory_bytes"), legend: "{{instance}}" }],
        },
      ],
    },
    {
      title: "Gateways",
      height: 6,
      panels: [
        {
          title: "Health of each gateway",
          description: "Database, lease, notifications of changes, and workers: red while one of them fails.",
          kind: "states",
          unit: "none",
          queries: [
            { expr: of("tollgate_ledger_up"), legend: "{{instance}} ledger" },
            { expr: of("tollgate_lease_held"), legend: "{{instance}} lease" },
            { expr: of("tollgate_changes_heard"), legend: "{{instance}} notifications" },
            {
              expr: `${of("tollgate_workers_answered")} >= bool ${of("tollgate_workers")}`,
              legend: "{{instance}} workers",
            },
          ],
          thresholds: ["red", { from: 1, colour: "green" }],
          words: { 0: { text: "no", colour: "red" }, 1: { text: "yes", colour: "green" } },
        },
      ],
    },
  ],
};
