import { listFields } from "../fields.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export const CONFIG_VARIABLE = "TOLLGATE_CONFIG";
const PREFIX = "TOLLGATE_";

/**
 * Names with our prefix that are no settings: where the file is, where `scripts/with-node` keeps its Node, and the key and the
 * addresses of a client that runs on the same machine, under the names that the documentation uses.
 */
const OTHER_NAMES = [CONFIG_VARIABLE, "TOLLGATE_CACHE", "TOLLGATE_KEY", "TOLLGATE_BASE_URL", "TOLLGATE_ADMIN_URL"];

/** Every name that may be set, the `_FILE` form of secrets included. */
export const knownVariables = (): string[] => [
  ...listFields().flatMap(({ environment, secret }) => (secret ? [environment, `${environment}_FILE`] : [environment])),
  ...OTHER_NAMES,
];

/** The database's driver takes the password from there where the URL has none. */
const DRIVER_SECRET = "PGPASSWORD";

/** With these a process proves to a cloud who it is. They sign calls, and are sent nowhere. */
const IDENTITY_SECRETS: ReadonlySet<string> = new Set([
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_CONTAINER_AUTHORIZATION_TOKEN",
  "AZURE_CLIENT_SECRET",
  "AZURE_CLIENT_CERTIFICATE_PASSWORD",
  "IDENTITY_HEADER",
]);
/** Name the files of such secrets. */
export const IDENTITY_FILES: readonly string[] = [
  "AWS_SHARED_CREDENTIALS_FILE",
  "AWS_WEB_IDENTITY_TOKEN_FILE",
  "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "AZURE_CLIENT_CERTIFICATE_PATH",
  "AZURE_FEDERATED_TOKEN_FILE",
];

/** A variable only Tollgate may use: one of its settings, anything with its prefix, its way into the database, or what it is in a cloud. */
export const isOwnVariable = (name: string): boolean =>
  name.startsWith(PREFIX) || name === DRIVER_SECRET || IDENTITY_SECRETS.has(name) || knownVariables().includes(name);

/** Names that look like settings and are none: typing errors, which would otherwise be ignored in silence. */
export function unknownVariables(environment: Environment): string[] {
  const known = new Set(knownVariables());
  return Object.keys(environment).filter((name) => name.startsWith(PREFIX) && !known.has(name));
}

const LINK_NAME =
  /^TOLLGATE_(?:\w+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/;
const LINK_URL = /^(?:tcp|udp|sctp):\/\//;

/**
 * Kubernetes puts variables named after each service into every pod: a service called `tollgate-admin` sets
 * `TOLLGATE_ADMIN_PORT=tcp://10.0.0.7:8081`, which is our own name with a meaning of its own. Such variables are set aside.
 */
export function withoutServiceLinks(environment: Environment): Environment {
  const isLink = (name: string, value = "") =>
    LINK_NAME.test(name) || (/^TOLLGATE_(?:\w+_)?PORT$/.test(name) && LINK_URL.test(value));
  return Object.fromEntries(Object.entries(environment).filter(([name, value]) => !isLink(name, value)));
}
