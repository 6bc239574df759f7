import type { Attempt } from "../attempt.ts";
import { BODIES } from "./lockout-bodies.ts";
import { CROWDS } from "./lockout-crowds.ts";
import { REFUSED } from "./lockout-refusals.ts";
import { CROWDS_OF_ONE, SOCKET_CROWDS } from "./lockout-sessions.ts";
import { BOUNDS } from "./price-bounds.ts";
import { DISCONNECTS } from "./price-disconnects.ts";
import { OUTPUT } from "./price-output.ts";
import { PLAYGROUND } from "./price-playground.ts";
import { REPLAYS } from "./price-replay.ts";
import { RESERVATIONS } from "./price-reservation.ts";
import { AT_ONCE, SESSIONS } from "./price-sessions.ts";
import { SOCKETS } from "./price-sockets.ts";
import { USAGE } from "./price-usage.ts";
import { SILENCE } from "./price-silence.ts";
import { UNPRICED } from "./price-unpriced.ts";
import { BROWSERS } from "./smuggle-browser.ts";
import { CONTENT } from "./smuggle-content.ts";
import { HEADERS } from "./smuggle-headers.ts";
import { MEDIA } from "./smuggle-media.ts";
import { MEMBERS } from "./smuggle-members.ts";

export const ATTEMPTS: readonly Attempt[] = [
  ...DISCONNECTS,
  ...OUTPUT,
  ...BOUNDS,
  ...SILENCE,
  ...USAGE,
  ...UNPRICED,
  ...RESERVATIONS,
  ...REPLAYS,
  ...AT_ONCE,
  ...SESSIONS,
  ...SOCKETS,
  ...PLAYGROUND,
  ...MEMBERS,
  ...CONTENT,
  ...MEDIA,
  ...HEADERS,
  ...BROWSERS,
  ...CROWDS,
  ...BODIES,
  ...REFUSED,
  ...CROWDS_OF_ONE,
  ...SOCKET_CROWDS,
];
