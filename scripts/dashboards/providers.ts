import { type Board, of, type Query, rate } from "./board.ts";

const PROVIDER = 'provider=~"$provider"';
const byRoute = (how: string, metric: string): string =>
  `${how} by (provider, upstream_model, route) (${of(metric, PROVIDER)})`;
const FAILED = `outcome!~"answered|request_refused",${PROVIDER}`;

const byModel = (metric: string): Query => ({
  expr: `histogram_quantile(0.95, sum by (le, model, provider) (${rate(`${metric}_bucket`, PROVIDER)}))`,
  legend: "{{model}} {{provider}}",
});

export const providers: Board = {
  uid: "tollgate-providers",
  title: "Tollgate providers",
  description: "Which provider fails or is slow, and which routes are skipped.",
  variables: [
    {
      name: "provider",
      label: "Provider",
      query: 'label_values(tollgate_upstream_calls_total{job="$job"}, provider)',
      multi: true,
    },
  ],
  rows: [
    {
      title: "Now",
      height: 4,
      panels: [
        {
          title: "Calls",
          description: "Calls to providers, per second. A request that tries several routes makes several.",
          kind: "stat",
          unit: "reqps",
          queries: [{ expr: `sum(${rate("tollgate_upstream_calls_total", PROVIDER)})` }],
        },
        {
          title: "Calls that fail",
          description: "Over 5 minutes, the worst provider. An alert fires above 20 %.",
          kind: "stat",
          unit: "percentunit",
          queries: [{ expr: `max(job_provider:tollgate_upstream_failures:ratio_rate5m{job="$job",${PROVIDER}})` }],
          thresholds: ["green", { from: 0.05, colour: "orange" }, { from: 0.2, colour: "red" }],
        },
        {
          title: "Routes skipped",
          description: "Routes whose circuit breaker is open in some process.",
          kind: "stat",
          unit: "short",
          queries: [{ expr: `sum(${byRoute("max", "tollgate_route_breaker")} == bool 2)` }],
          thresholds: ["green", { from: 1, colour: "red" }],
        },
        {
          title: "Calls in progress",
          description: "Over all routes.",
          kind: "stat",
          unit: "short",
          queries: [{ expr: `sum(${of("tollgate_route_calls_in_progress", PROVIDER)})` }],
        },
      ],
    },
    {
      title: "Failures",
      height: 8,
      panels: [
        {
          title: "Circuit breakers",
          description: "Green: the route is used. Orange: one request tries it. Red: it is skipped.",
          kind: "states",
          unit: "none",
          queries: [{ expr: byRoute("max", "tollgate_route_breaker"), legend: "{{provider}} {{upstream_model}}" }],
          thresholds: ["green", { from: 1, colour: "orange" }, { from: 2, colour: "red" }],
          words: {
            0: { text: "used", colour: "green" },
            1: { text: "tried", colour: "orange" },
            2: { text: "skipped", colour: "red" },
          },
        },
        {
          title: "Failed calls by reason",
          description:
            "`credential_refused` and `misconfigured` are ours to fix; `rate_limited` and `overloaded` need a second route.",
          kind: "lines",
          unit: "reqps",
          queries: [
            {
              expr: `sum by (provider, outcome) (${rate("tollgate_upstream_calls_total", FAILED)})`,
              legend: "{{provider}} {{outcome}}",
            },
          ],
        },
      ],
    },
    {
      title: "Models",
      height: 8,
      panels: [
        {
          title: "Duration by model",
          description: "95th percentile of whole requests, by model and provider.",
          kind: "lines",
          unit: "s",
          queries: [byModel("tollgate_model_request_seconds")],
        },
        {
          title: "Time to the first byte by model",
          description: "95th percentile. Of a stream, about the time to the first token.",
          kind: "lines",
          unit: "s",
          queries: [byModel("tollgate_model_first_byte_seconds")],
        },
        {
          title: "Tokens by model",
          description: "Input and output together, charged for, per second.",
          kind: "stacked",
          unit: "tokens/s",
          queries: [
            {
              expr: `sum by (model, provider) (${rate("tollgate_model_tokens_total", PROVIDER)})`,
              legend: "{{model}} {{provider}}",
            },
          ],
        },
        {
          title: "Errors by model and code",
          description: "Of requests that a provider was asked for. docs/reference/errors.md explains each code.",
          kind: "lines",
          unit: "reqps",
          queries: [
            {
              expr: `sum by (model, provider, code) (${rate("tollgate_model_errors_total", PROVIDER)})`,
              legend: "{{model}} {{provider}} {{code}}",
            },
          ],
        },
      ],
    },
    {
      title: "Calls",
      height: 8,
      panels: [
        {
          title: "Calls by provider",
          description: "Including failed ones.",
          kind: "stacked",
          unit: "reqps",
          queries: [
            {
              expr: `sum by (provider) (${rate("tollgate_upstream_calls_total", PROVIDER)})`,
              legend: "{{provider}}",
            },
          ],
        },
        {
          title: "Success rate of recent calls",
          description: "By route; the gateway prefers routes that succeed.",
          kind: "lines",
          unit: "percentunit",
          queries: [
            { expr: byRoute("min", "tollgate_route_success_ratio"), legend: "{{provider}} {{upstream_model}}" },
          ],
        },
        {
          title: "Calls in progress",
          description: "By route. A line that only rises is a provider that does not finish.",
          kind: "lines",
          unit: "short",
          queries: [
            { expr: byRoute("sum", "tollgate_route_calls_in_progress"), legend: "{{provider}} {{upstream_model}}" },
          ],
        },
      ],
    },
    {
      title: "Speed",
      height: 8,
      panels: [
        {
          title: "Time to the first byte",
          description: "Average of recent responses, by route.",
          kind: "lines",
          unit: "s",
          queries: [
            { expr: byRoute("avg", "tollgate_route_first_byte_seconds"), legend: "{{provider}} {{upstream_model}}" },
          ],
        },
        {
          title: "Output speed",
          description: "Average of recent responses, by route.",
          kind: "lines",
          unit: "tokens/s",
          queries: [
            { expr: byRoute("avg", "tollgate_route_tokens_per_second"), legend: "{{provider}} {{upstream_model}}" },
          ],
        },
        {
          title: "Fields not sent",
          description: "Request fields that a provider does not take, by client format. The request log names them.",
          kind: "lines",
          unit: "fields/min",
          queries: [
            {
              expr: `60 * sum by (provider, format) (${rate("tollgate_dropped_members_total", PROVIDER)})`,
              legend: "{{provider}} {{format}}",
            },
          ],
        },
      ],
    },
  ],
};
