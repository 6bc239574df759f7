import { providerDialect } from "../../support/provider-dialect.ts";
import type { Route } from "./evidence.ts";
import { CATALOGUE_PRICE } from "./tariff.ts";

/** What the provider does for each model of the stage. */
const BEHAVIOURS = {
  fast: "sim+tokens=20",
  slow: "sim+tokens=60+rate=20",
  long: "sim+tokens=400+rate=40",
  /** Breaks off in the middle of its answer. */
  dying: "sim+tokens=40+rate=40+fail=reset@15",
  /** Answers with an error. */
  erring: "sim+fail=500",
  /** Says nothing about usage. */
  silent: "sim+tokens=20+usage=missing",
  /** Stops in the middle until it is released. */
  halfway: "sim+tokens=40+pause=20",
  /** Stops when all content has been sent, before it says what it took. */
  unsaid: "sim+tokens=40+pause=40",
  /** Takes the request and never answers. */
  mute: "sim+fail=hang",
};

/** Every model is the simulator's, but `unreached`, whose provider takes connections and does not hear what is said on them. */
export function stageCatalogue(options: {
  simulatorUrl: string;
  deafUrl: string;
  extraModels: Record<string, string>;
}): object {
  const behaviours: Record<string, string> = { ...BEHAVIOURS, ...options.extraModels };
  const credential = "env:STAGE_PROVIDER_KEY";
  return {
    providers: [
      { name: "acme", base_url: `${options.simulatorUrl}/v1`, credential },
      { name: "deaf", base_url: `${options.deafUrl}/v1`, credential },
    ],
    models: [
      ...Object.entries(behaviours).flatMap(([name, upstream]) =>
        ROUTES.map((route) => modelOf({ id: modelFor(route, name), upstream, provider: "acme", callers: route })),
      ),
      ...ROUTES.map((route) =>
        modelOf({ id: modelFor(route, "unreached"), upstream: "sim", provider: "deaf", callers: route }),
      ),
    ],
  };
}

/** Every behaviour can be had by callers of each format. */
export const modelFor = (route: Route, name: string): string => (route === "chat" ? name : `${name}-${route}`);

const ROUTES = ["chat", "responses", "messages"] as const;

/** Callers of each format in turn. */
export const routeFor = (index: number): Route => ROUTES[index % ROUTES.length] ?? "chat";

const modelOf = (model: { id: string; upstream: string; provider: string; callers: Route }): object => ({
  id: model.id,
  provider: model.provider,
  context_window: 128_000,
  max_output_tokens: 4_096,
  // What was thought unseen is estimated by the clock, and no witness could say how much was right.
  capabilities: { reasoning: false },
  price: CATALOGUE_PRICE,
  routes: [
    {
      provider: model.provider,
      upstream_model: model.upstream,
      format: providerDialect(model.callers),
      conformant: true,
      // A pause lasts as long as the test wants, which on a busy machine may be minutes.
      ...(model.upstream.includes("pause=") && { idle_timeout_ms: 600_000 }),
    },
  ],
});
