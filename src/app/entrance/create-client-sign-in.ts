import { createAuditStore } from "../../audit/audit-store.ts";
import type { Config } from "../../config/load-config.ts";
import { readClientSettings } from "../../config/read/client-settings-file.ts";
import { merge, settingsFor } from "../../core/people/client-settings.ts";
import type { DeviceSignIn } from "../../core/people/device-sign-in.ts";
import type { Json } from "../../core/bytes/json.ts";
import { createForwardTelemetry, type ForwardTelemetry } from "../../gateway/client/forward-telemetry.ts";
import { createAddressLimit } from "../../keys/address-limit.ts";
import { createAccountStore } from "../../ledger/structure/account-store.ts";
import { createDeviceSignIn, type GiveSessions } from "../../entrance/device/device-sign-in.ts";
import { createDeviceGrantStore } from "../../entrance/device/device-grant-store.ts";
import { createIdentityStore } from "../../entrance/single-sign-on/identity-store.ts";
import { createPeopleStore } from "../../people/people-store.ts";
import { createFailureStore } from "../../entrance/failure-store.ts";
import { createAuditPerson } from "./audit-person.ts";
import { createSignInAt, type SignInParts } from "./create-sign-in.ts";

const CALLBACK = "/oauth/callback";
/** Sign-ins to the console that begin at one address in a minute. People of a company often share one. */
const MOST_BEGUN = 60;

/** How clients sign in. */
export type ClientSignIn = {
  deviceSignIn: DeviceSignIn;
  providerScheme: "https:" | "http:";
  settingsOf: (personId: string) => Promise<Json | null>;
  forwardTelemetry: ForwardTelemetry;
};

type Parts = Omit<SignInParts, "config"> & {
  config: Pick<Config, "signIn" | "keys">;
  /** Where clients and their people reach the public listener. */
  publicUrl: () => string;
  sessions: GiveSessions;
};

/** Null: the settings name no identity provider. */
export function createClientSignInOn(parts: Parts): ClientSignIn | null {
  const { config, database, clock, sessions, publicUrl } = parts;
  const signIn = createSignInAt(parts, { base: publicUrl, callback: CALLBACK });
  if (signIn === null) return null;
  const people = createPeopleStore(database);
  const accounts = createAccountStore(database);
  const audit = createAuditPerson(createAuditStore(database), clock);
  const deviceSignIn = createDeviceSignIn({
    store: createDeviceGrantStore(database),
    failures: createFailureStore(database),
    signIn,
    sessions,
    unknown: createAddressLimit({ clock, perMinute: config.keys.unknownPerMinute }),
    departures: createAddressLimit({ clock, perMinute: MOST_BEGUN }),
    personOf: async (personId) => {
      const person = await people.byId(personId);
      if (person === null || person.state !== "active") return null;
      const account = person.accountId === null ? null : await accounts.byId(person.accountId);
      return { email: person.email, name: person.name, account: account?.title ?? null };
    },
    audit: ({ id, email }, { address, requestId, reason }) =>
      audit(
        "device.decide",
        { id, email },
        { actor: email, personId: id, requestId, via: "sso", reason, ...(address !== null && { address }) },
      ),
  });
  const { issuer, clientSettings, clientTelemetryUrl: collectorUrl } = config.signIn;
  const settings = clientSettings === null ? [] : readClientSettings(clientSettings);
  const { groupsOf } = createIdentityStore(database);
  return {
    deviceSignIn,
    providerScheme: issuer?.startsWith("http:") ? "http:" : "https:",
    settingsOf: async (personId) => {
      const set = settingsFor(settings, settings.length === 0 ? [] : await groupsOf(personId));
      return collectorUrl === null ? set : merge(telemetryTo(publicUrl()), set ?? {});
    },
    forwardTelemetry: createForwardTelemetry({ collectorUrl, post: fetch }),
  };
}

/** Has clients send their telemetry here. */
const telemetryTo = (base: string): Json => ({
  env: {
    CLAUDE_CODE_ENABLE_TELEMETRY: "1",
    OTEL_METRICS_EXPORTER: "otlp",
    OTEL_LOGS_EXPORTER: "otlp",
    OTEL_TRACES_EXPORTER: "otlp",
    OTEL_EXPORTER_OTLP_ENDPOINT: base,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
  },
});
