import { type Board, grown, of, rate } from "./board.ts";

const perHour = (expr: string): string => `3600 * ${expr}`;
const perMinute = (expr: string): string => `60 * ${expr}`;

export const money: Board = {
  uid: "tollgate-money",
  title: "Tollgate money",
  description: "What is charged, to whom, and what needs an operator. For graphs; the ledger is exact.",
  rows: [
    {
      title: "Now",
      height: 4,
      panels: [
        {
          title: "Credits charged",
          description: "Over the time shown, to all keys.",
          kind: "stat",
          unit: "credits",
          queries: [{ expr: `sum(${grown("tollgate_charged_credits_total")})` }],
        },
        {
          title: "Budget tokens charged",
          description: "Over the time shown, to keys with a token budget.",
          kind: "stat",
          unit: "tokens",
          queries: [{ expr: `sum(${grown("tollgate_charged_tokens_total")})` }],
        },
        {
          title: "Money alarms",
          description: "Over the time shown. Each is a charge that an operator should look at.",
          kind: "stat",
          unit: "short",
          queries: [{ expr: `sum(${grown("tollgate_money_alarms_total")})` }],
          thresholds: ["green", { from: 0.5, colour: "orange" }, { from: 100, colour: "red" }],
        },
        {
          title: "In quarantine",
          description: "Requests that cannot be ended; their money stays reserved: tollgate ledger quarantine list.",
          kind: "stat",
          unit: "short",
          queries: [{ expr: `max(${of("tollgate_holds_quarantined")})` }],
          thresholds: ["green", { from: 1, colour: "red" }],
        },
        {
          title: "Sweep lag",
          description:
            "How long the oldest request of a dead process has waited to be ended. Above 120 s an alert fires.",
          kind: "stat",
          unit: "s",
          queries: [{ expr: `max(${of("tollgate_sweep_lag_seconds")})` }],
          thresholds: ["green", { from: 30, colour: "orange" }, { from: 120, colour: "red" }],
        },
        {
          title: "Leases",
          description: "Whether every gateway holds its lease, which protects its running requests.",
          kind: "stat",
          unit: "none",
          queries: [{ expr: `min(${of("tollgate_lease_held")})` }],
          thresholds: ["red", { from: 1, colour: "green" }],
          words: { 0: { text: "lost", colour: "red" }, 1: { text: "held", colour: "green" } },
        },
      ],
    },
    {
      title: "Charges",
      height: 8,
      panels: [
        {
          title: "Credits by key",
          description: "The ten keys that are charged most. Keys beyond `metrics.key_series` are `other`.",
          kind: "stacked",
          unit: "credits/h",
          queries: [
            {
              expr: `topk(10, ${perHour(`sum by (key) (${rate("tollgate_charged_credits_total")})`)} > 0)`,
              legend: "{{key}}",
            },
          ],
        },
        {
          title: "Budget tokens by key",
          description: "The ten keys with a token budget that use most.",
          kind: "stacked",
          unit: "tokens/min",
          queries: [
            {
              expr: `topk(10, ${perMinute(`sum by (key) (${rate("tollgate_charged_tokens_total")})`)} > 0)`,
              legend: "{{key}}",
            },
          ],
        },
        {
          title: "Tokens charged for",
          description: "Input and output, of all keys.",
          kind: "lines",
          unit: "tokens/s",
          queries: [{ expr: `sum by (direction) (${rate("tollgate_tokens_total")})`, legend: "{{direction}}" }],
        },
      ],
    },
    {
      title: "Alarms",
      height: 8,
      panels: [
        {
          title: "Money alarms by kind",
          description: "The log line `money alarm` names key, request and model.",
          kind: "lines",
          unit: "per min",
          queries: [
            { expr: perMinute(`sum by (kind) (${rate("tollgate_money_alarms_total")})`), legend: "{{kind}}" },
            {
              expr: perMinute(`sum by (kind) (${rate("tollgate_money_alarms_accepted_total")})`),
              legend: "{{kind}}, accepted",
            },
          ],
        },
        {
          title: "Rejected for balance or limits",
          description:
            "Key holders whose credit, budget or rate is used up. A step upwards may be one loop in one client.",
          kind: "lines",
          unit: "per min",
          queries: [
            {
              expr: perMinute(
                `sum by (code) (${rate("tollgate_requests_total", 'code=~"insufficient_credit|limit_reached|balance_temporarily_reserved|rate_limit_exceeded"')})`,
              ),
              legend: "{{code}}",
            },
          ],
        },
        {
          title: "How generations end",
          description: "Clients pay for completed and client_gone; the operator absorbs most of the rest.",
          kind: "stacked",
          unit: "per min",
          colours: {
            completed: "green",
            client_gone: "blue",
            upstream_failed: "red",
            timed_out: "orange",
            limited: "text",
          },
          queries: [
            { expr: perMinute(`sum by (outcome) (${rate("tollgate_outcomes_total")})`), legend: "{{outcome}}" },
          ],
        },
      ],
    },
    {
      title: "Background tasks",
      height: 7,
      panels: [
        {
          title: "Runs that fail",
          description: "By task. `lease` and `sweep` fail while the database is away.",
          kind: "lines",
          unit: "per min",
          queries: [
            {
              expr: perMinute(`sum by (duty) (${rate("tollgate_duties_total", 'result="failed"')})`),
              legend: "{{duty}}",
            },
          ],
        },
        {
          title: "Runs that succeed",
          description: "By task. A sweep is due every 5 seconds per process.",
          kind: "lines",
          unit: "per min",
          queries: [
            {
              expr: perMinute(`sum by (duty) (${rate("tollgate_duties_total", 'result="done"')})`),
              legend: "{{duty}}",
            },
          ],
        },
        {
          title: "Requests ended by sweeps, and checkpoints",
          description: "Swept requests are those of processes that died. Checkpoints are written while streams run.",
          kind: "lines",
          unit: "per min",
          queries: [
            { expr: perMinute(`sum(${rate("tollgate_holds_swept_total")})`), legend: "swept" },
            { expr: perMinute(`sum(${rate("tollgate_checkpoints_total")})`), legend: "checkpoints" },
          ],
        },
      ],
    },
  ],
};
