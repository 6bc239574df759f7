import type { Clock } from "../core/clock.ts";
import type { Address, ReadDescription } from "../core/description.ts";
import type { NetworkList } from "../core/network-list.ts";
import type { ServeFile } from "../core/served-file.ts";
import type { RecentLimits } from "../gateway/client/recent-limits.ts";
import type { ShowClientUsage } from "../gateway/client/show-client-usage.ts";
import type { CountRequest } from "../gateway/count-request.ts";
import type { CountTokens } from "../gateway/count-tokens.ts";
import type { Embed } from "../gateway/embed/embed.ts";
import type { Generate } from "../gateway/generate/generate.ts";
import type { ListModels, ShowModel } from "../gateway/list-models.ts";
import type { OpenRequest } from "../gateway/open-request.ts";
import type { HolderDoor } from "../gateway/holder/holder-door.ts";
import type { HolderChanges, HolderReads } from "../gateway/holder/holder-reads.ts";
import type { OpenSession } from "../gateway/holder/open-session.ts";
import type { SignInPerson } from "../gateway/holder/sign-in-person.ts";
import type { RequireFunds } from "../gateway/require-funds.ts";
import type { ShowUsage } from "../gateway/show-usage.ts";
import type { Events } from "../telemetry/events.ts";
import type { MediaUrls } from "../wire/members/media-address.ts";
import type { ClientRouteParts } from "./client/client-routes.ts";
import type { EqualCredentials } from "./credential/credential.ts";
import type { Drain } from "./connection/drain.ts";
import type { Health } from "../core/health.ts";
import type { SocketSettings } from "./socket/create-sockets.ts";
import type { ReadSocketMessage } from "./socket/serve-message.ts";
import type { ReadCountRequest } from "./routes/post-count-tokens.ts";
import type { ReadEmbeddings } from "./serve/serve-embeddings.ts";
import type { Fingerprint, ReadRequest } from "./serve/serve-generation.ts";
import type { DeviceRouteParts } from "./sign-in/device-routes.ts";

/** Limits that routes know of. */
export type HttpLimits = {
  bodyBytes: number;
  jsonDepth: number;
  mediaUrls: MediaUrls;
  openRequests: number;
  keySharePercent: number;
  bodyBudgetBytes: number;
  bodyBytesPerSecond: number;
  unfundedBodyBytes: number;
  clientBufferBytes: number;
  clientStallMs: number;
  bodyTimeoutMs: number;
};

/** Responses over WebSocket. */
export type WebSocketSettings = Omit<SocketSettings, "keySharePercent"> & { idleMs: number; lifetimeMs: number };

/** What the public listener is made of. */
export type HttpParts = {
  openRequest: OpenRequest;
  countRequest: CountRequest;
  generate: Generate;
  embed: Embed;
  showUsage: ShowUsage;
  listModels: ListModels;
  showModel: ShowModel;
  countTokens: CountTokens;
  readRequest: ReadRequest;
  readEmbeddings: ReadEmbeddings;
  readCountRequest: ReadCountRequest;
  readSocketMessage: ReadSocketMessage;
  /** Null: nobody gets one. */
  webSocket: WebSocketSettings | null;
  fingerprint: Fingerprint;
  requireFunds: RequireFunds;
  /** Null: key holders read nothing here. */
  holder: {
    door: HolderDoor;
    reads: HolderReads;
    changes: HolderChanges;
    openSession: OpenSession;
    signInPerson: SignInPerson;
  } | null;
  /** How clients sign in; null: no identity provider is configured. */
  clientSignIn:
    | (Pick<DeviceRouteParts, "deviceSignIn" | "providerScheme"> &
        Pick<ClientRouteParts, "settingsOf" | "forwardTelemetry">)
    | null;
  showClientUsage: ShowClientUsage;
  recentLimits: RecentLimits;
  /** The files of the key holder's console. */
  serveConsole: ServeFile;
  events: Events;
  drain: Drain;
  health: () => Health;
  clock: Clock;
  random: () => number;
  /** Where clients reach this listener, as the description shows it, and whether the operator set it. */
  publicUrl: () => string;
  address: Address;
  readDescription: ReadDescription;
  limits: HttpLimits;
  /** Signs the tickets of `tollgate doctor`. */
  adminToken: string;
  /** Proxies whose word on where a request comes from is taken. */
  trustedProxies: NetworkList;
  /** What becomes of one key that is sent in both headers. */
  equalCredentials: EqualCredentials;
  /** The operator's own additions to the flags of Format B that are passed on. */
  betas: readonly string[];
};
