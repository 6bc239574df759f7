import { readWebhookList } from "../../core/webhook-list.ts";
import { createNoticeStore } from "../../notices/notices-store.ts";
import { messageOf } from "../../notices/payload.ts";
import { createSendWebhook } from "../../notices/send-webhook.ts";
import { type Notices, startNotices } from "../../notices/start-notices.ts";
import type { ProcessParts } from "./process-parts.ts";

/** Sends what passed a threshold to the log and to the webhooks of the settings. */
export function startSending({ config, database, events, clock, random }: ProcessParts): Notices {
  const { webhooks, timeoutMs } = config.notices;
  return startNotices({
    store: createNoticeStore(database),
    webhooks: readWebhookList(webhooks?.reveal() ?? "") ?? [],
    send: createSendWebhook({ fetch, clock, timeoutMs }),
    timeoutMs,
    clock,
    random,
    onNotice: (notice) =>
      events.thresholdReached({
        notice: notice.id,
        text: messageOf(notice),
        accountId: notice.accountId,
        keyId: notice.key?.id ?? null,
        counter: notice.counter,
      }),
    onAttempt: (endpoint, result, why) => events.noticeSent({ endpoint, result, ...why }),
    onCounted: events.noticesCounted,
    onDone: () => events.dutyDone("notices"),
    onFailed: (error) => events.dutyFailed("notices", error),
  });
}
