import type { PageRequest } from "../core/page.ts";
import type { providerRequestSchema, providerTestSchema } from "../wire/admin/providers.ts";
import {
  providerAddedSchema,
  providerListSchema,
  providerRemovedSchema,
  providerRequestView,
  providerSchema,
  providerTestedSchema,
  providerTestView,
  rekeyedSchema,
} from "../wire/admin/providers.ts";
import type { ReadAs } from "../wire/validate.ts";
import { type Asking, queryOf } from "./ask-gateway.ts";

const of = (name: string, rest = ""): string => `/providers/${encodeURIComponent(name)}${rest}`;

/** What operators do with providers, through the admin listener of a running gateway, which has the keys to their credentials. */
export const remoteProviders = ({ ask, askPatiently }: Asking) => ({
  list: ({ limit, after }: PageRequest) => ask(providerListSchema, "GET", `/providers?${queryOf({ limit, after })}`),
  show: (name: string) => ask(providerSchema, "GET", of(name)),
  add: (order: ReadAs<typeof providerRequestSchema>) =>
    ask(providerAddedSchema, "POST", "/providers", providerRequestView(order)),
  probe: (name: string, target: ReadAs<typeof providerTestSchema>) =>
    askPatiently(providerTestedSchema, "POST", of(name, "/test"), providerTestView(target)),
  rekey: () => ask(rekeyedSchema, "POST", "/providers/rekey"),
  remove: (name: string, routes: "keep" | "withdraw") =>
    ask(providerRemovedSchema, "DELETE", of(name, `?${queryOf({ routes })}`)),
});
