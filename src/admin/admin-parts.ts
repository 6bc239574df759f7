import type { Clock } from "../core/clock.ts";
import type { Health } from "../core/health.ts";
import type { ReadPriceList } from "../core/catalogue/price-list.ts";
import type { Identify } from "../entrance/identify.ts";
import type { PasswordSignIn } from "../entrance/password/password-sign-in.ts";
import type { Operator } from "../operator/operator.ts";
import type { Events } from "../telemetry/events.ts";
import type { Exposition, Metrics } from "../telemetry/metrics/metrics.ts";
import type { ShownRoute } from "../wire/admin/health.ts";
import type { ShownSettings } from "../wire/admin/settings.ts";
import type { ShownExamination, ShownStatus } from "../wire/admin/status.ts";
import type { PersonCookie } from "./session-cookie.ts";
import type { SignIn } from "../entrance/single-sign-on/sign-in.ts";

/** What the routes of the admin API work with. */
export type AdminParts = {
  operator: Operator;
  identify: Identify;
  cookie: PersonCookie;
  /** Null: single sign-on is off. */
  signIn: SignIn | null;
  passwordSignIn: PasswordSignIn;
  /** Where clients reach the public listener. */
  gatewayUrl: () => string;
  readPriceList: ReadPriceList;
  /** What this process knows of the routes it used. */
  reportRoutes: () => readonly ShownRoute[];
  settings: () => ShownSettings;
  readStatus: () => Promise<ShownStatus>;
  /** Runs the checks of `tollgate doctor` that this process can run. */
  examine: () => Promise<ShownExamination>;
  metrics: Pick<Metrics, "expose">;
  /** The same of all workers, summed. */
  exposeTotals: () => Promise<Exposition>;
  events: Events;
  health: () => Health;
  clock: Pick<Clock, "nowMs">;
  /** Aborted when the listener closes. */
  closing: AbortSignal;
};
