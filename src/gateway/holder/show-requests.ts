import { Fault } from "../../core/fault.ts";
import { requestUuid } from "../../core/ids.ts";
import type { Page, PageRequest } from "../../core/page.ts";
import type {
  ListRequests,
  RequestFilter,
  RequestRecord,
  ShownRequest,
  ShowRequest,
} from "../../core/request/request-record.ts";
import type { KeyHolder } from "./holder-door.ts";
import type { OwnKeys } from "./own-keys.ts";
import { recordsAway } from "./records-away.ts";

/** What of a key's requests is asked for; never of whom. */
type OwnFilter = Pick<RequestFilter, "model" | "code" | "status" | "outcome" | "fromMs" | "toMs">;

/** GET /me/requests: the holder's requests, newest first. */
export type ListOwnRequests = (
  holder: KeyHolder,
  asked: { filter: OwnFilter; page: PageRequest },
) => Promise<Page<RequestRecord>>;

/** GET /me/requests/{request}: one of them. That of somebody else is not found, as one that never was. */
export type ShowOwnRequest = (holder: KeyHolder, requestId: string) => Promise<ShownRequest>;

export const createListOwnRequests =
  ({ listRequests, ownKeys }: { listRequests: ListRequests; ownKeys: OwnKeys }): ListOwnRequests =>
  async (holder, { filter, page }) =>
    listRequests({ ...filter, ...ofKeys(await ownKeys(holder)) }, page).catch(recordsAway);

export const createShowOwnRequest =
  ({ showRequest, ownKeys }: { showRequest: (bucket: number) => ShowRequest; ownKeys: OwnKeys }): ShowOwnRequest =>
  async (holder, requestId) => {
    const id = requestUuid(requestId);
    const shown = id === null ? null : await showRequest(holder.key.bucket)(id).catch(recordsAway);
    const keyId = shown?.record.keyId ?? null;
    if (shown === null || keyId === null || !(await ownKeys(holder)).includes(keyId)) throw notFound();
    return shown;
  };

/** One key is found faster by itself. */
export const ofKeys = ([first, ...others]: readonly string[]): Pick<RequestFilter, "keyId" | "within"> =>
  first === undefined || others.length > 0
    ? { within: first === undefined ? [] : [first, ...others] }
    : { keyId: first };

const notFound = (): Fault =>
  new Fault(
    "not_found",
    "You have no record of this request. It is still in progress, or older than records are kept, or not a request of yours.",
  );
