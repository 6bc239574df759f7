import { type Board, grown, rate } from "./board.ts";

const KEY = 'key="$key"';

export const oneKey: Board = {
  uid: "tollgate-key",
  title: "Tollgate one key",
  description:
    "One key by its prefix. Only the first keys that a gateway sees have series of their own (metrics.key_series); the rest are `other`. For billing use `tollgate usage KEY`.",
  variables: [
    { name: "key", label: "Key", query: 'label_values(tollgate_key_requests_total{job="$job"}, key)', multi: false },
  ],
  rows: [
    {
      title: "Over the time shown",
      height: 4,
      panels: [
        {
          title: "Credits charged",
          description: "0 for a key with a token budget.",
          kind: "stat",
          width: 5,
          unit: "credits",
          queries: [{ expr: `sum(${grown("tollgate_charged_credits_total", KEY)})` }],
        },
        {
          title: "Budget tokens charged",
          description: "0 for a key with credits.",
          kind: "stat",
          width: 5,
          unit: "tokens",
          queries: [{ expr: `sum(${grown("tollgate_charged_tokens_total", KEY)})` }],
        },
        {
          title: "Share of all credits",
          description: "Of what all keys were charged.",
          kind: "stat",
          width: 5,
          unit: "percentunit",
          queries: [
            {
              expr: `sum(${grown("tollgate_charged_credits_total", KEY)}) / (sum(${grown("tollgate_charged_credits_total")}) > 0)`,
            },
          ],
        },
        {
          title: "Requests",
          description: "All requests with this key, also rejected ones.",
          kind: "stat",
          width: 5,
          unit: "short",
          queries: [{ expr: `sum(${grown("tollgate_key_requests_total", KEY)})` }],
        },
        {
          title: "Requests that succeed",
          description: "Of all requests of this key. Rejected ones are often a used-up balance or a rate limit.",
          kind: "stat",
          width: 4,
          unit: "percentunit",
          queries: [
            {
              expr: `sum(${grown("tollgate_key_requests_total", `${KEY},result="ok"`)}) / (sum(${grown("tollgate_key_requests_total", KEY)}) > 0)`,
            },
          ],
          thresholds: ["red", { from: 0.9, colour: "orange" }, { from: 0.99, colour: "green" }],
        },
      ],
    },
    {
      title: "Over time",
      height: 9,
      panels: [
        {
          title: "Requests by result",
          description: "Rejected: 4xx, the key or the request. Failed: 5xx, or a stream that ended with an error.",
          kind: "stacked",
          unit: "reqps",
          colours: { ok: "green", rejected: "orange", failed: "red" },
          queries: [{ expr: `sum by (result) (${rate("tollgate_key_requests_total", KEY)})`, legend: "{{result}}" }],
        },
        {
          title: "Credits",
          description: "What the key is charged, as credits per hour.",
          kind: "lines",
          unit: "credits/h",
          queries: [{ expr: `3600 * sum(${rate("tollgate_charged_credits_total", KEY)})`, legend: "credits" }],
        },
        {
          title: "Tokens",
          description: "Input and output that the key was charged for.",
          kind: "lines",
          unit: "tokens/s",
          queries: [
            { expr: `sum by (direction) (${rate("tollgate_key_tokens_total", KEY)})`, legend: "{{direction}}" },
          ],
        },
      ],
    },
  ],
};
