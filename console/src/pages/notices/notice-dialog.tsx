import { Dialog } from "@base-ui/react/dialog";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useChange } from "../../api/use-change.ts";
import type { Notice, NoticeDelivery } from "../../api/generated/admin.ts";
import { CounterBar } from "../../charts/counter-bar.tsx";
import { readAmount, unitOf } from "../../format/counted.ts";
import { Moment } from "../../parts/amount.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { Facts } from "../../parts/facts.tsx";
import { tell, tellFailure } from "../../parts/toast.tsx";
import { useMay } from "../../shell/may.ts";
import { CauseBadge, counterOf, STATE_TONES, thresholdText } from "./notice-columns.tsx";

/** One notice whole: what was true then, and what became of it at each endpoint. */
export function NoticeDialog({
  of: notice,
  title,
  onClose,
}: {
  of: Notice;
  title: string;
  onClose: () => void;
}): ReactNode {
  const may = useMay();
  const retry = useRetry(notice.id);
  const read = (text: string): bigint => readAmount(notice.unit, text);
  const isDead = notice.deliveries.some(({ state }) => state === "dead");
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-ink/30" />
        <Dialog.Popup className="popup fixed inset-x-0 top-[8vh] z-40 mx-auto flex max-h-[86vh] w-[min(640px,calc(100vw-24px))] flex-col gap-4 overflow-y-auto rounded-lg border border-line bg-raised p-5 shadow-float">
          <div>
            <Dialog.Title className="flex flex-wrap items-center gap-2 text-title font-semibold">
              {title} <CauseBadge cause={notice.cause} />
            </Dialog.Title>
            <Dialog.Description className="text-ink-2">{notice.message}</Dialog.Description>
          </div>
          <CounterBar
            charged={read(notice.used)}
            reserved={read(notice.reserved)}
            available={read(notice.available)}
            unit={unitOf(notice.unit)}
          />
          <Facts
            facts={[
              ["At", <Moment key="at" atMs={Date.parse(notice.at)} />],
              ["Threshold", thresholdText(notice)],
              ["Of the", <CounterLink key="of" of={notice} />],
              [
                "Renews",
                notice.renews_at === null ? "never" : <Moment key="renews" atMs={Date.parse(notice.renews_at)} />,
              ],
              ["Id", <CopyText key="id" text={notice.id} />],
            ]}
          />
          <Deliveries of={notice.deliveries} />
          <div className="flex justify-end gap-2">
            {isDead && may("retryNotices") && (
              <Button icon="retry" busy={retry.isPending} onClick={() => retry.mutate()}>
                Send it again
              </Button>
            )}
            <Dialog.Close render={<Button>Close</Button>} />
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function CounterLink({ of: notice }: { of: Notice }): ReactNode {
  const { key, account_id: account } = notice;
  const link = { className: "text-accent underline", children: counterOf(notice) };
  if (key !== null) return <Link to="/keys/$key" params={{ key: key.id }} {...link} />;
  return account === null ? link.children : <Link to="/accounts/$account" params={{ account }} {...link} />;
}

/** Dead letters of one notice, or (null) all. */
export function useRetry(notice: string | null) {
  const { change, reread } = useChange();
  return useMutation({
    mutationFn: () => change("POST /admin/v1/notices/retry", { body: { notice } }),
    onError: tellFailure,
    onSuccess: async ({ retried }) => {
      tell(retried === 1 ? "1 delivery is sent again" : `${retried} deliveries are sent again`);
      await reread();
    },
  });
}

const Deliveries = ({ of: deliveries }: { of: readonly NoticeDelivery[] }): ReactNode =>
  deliveries.length === 0 ? (
    <p className="text-ink-2">It was sent nowhere: no webhook was in the settings.</p>
  ) : (
    <ul className="flex flex-col" aria-label="Deliveries">
      {deliveries.map((delivery) => (
        <li
          key={delivery.endpoint}
          className="flex flex-wrap items-center gap-x-3 border-t border-line/70 py-1.5 first:border-0"
        >
          <span className="font-medium">{delivery.endpoint}</span>
          <Badge tone={STATE_TONES[delivery.state]}>{delivery.state}</Badge>
          <span className="basis-full text-small text-ink-2">
            {delivery.attempts === 1 ? "1 attempt" : `${delivery.attempts} attempts`}
            {delivery.problem !== null && `, last ${delivery.status ?? delivery.problem}`}
            {delivery.last_at !== null && (
              <>
                {" · "}
                <Moment atMs={Date.parse(delivery.last_at)} />
              </>
            )}
            {delivery.next_at !== null && delivery.state === "waiting" && (
              <>
                {" · next "}
                <Moment atMs={Date.parse(delivery.next_at)} />
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
