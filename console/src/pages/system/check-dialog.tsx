import { Dialog } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import type { DoctorCheck } from "../../api/generated/admin.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Facts } from "../../parts/facts.tsx";

export const CHECK_TONES: Record<DoctorCheck["status"], Tone> = {
  ok: "good",
  warning: "warn",
  failed: "bad",
  skipped: "neutral",
};

/** One check in full: lines of the list are cut. */
export const CheckDialog = ({ of: check, onClose }: { of: DoctorCheck; onClose: () => void }): ReactNode => (
  <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
    <Dialog.Portal>
      <Dialog.Backdrop className="fixed inset-0 z-30 bg-ink/30" />
      <Dialog.Popup className="popup fixed inset-x-0 top-[10vh] z-40 mx-auto flex max-h-[84vh] w-[min(560px,calc(100vw-24px))] flex-col gap-4 overflow-y-auto rounded-lg border border-line bg-raised p-5 shadow-float">
        <Dialog.Title className="flex flex-wrap items-center gap-2 text-title font-semibold">
          {check.group}: {check.title} <Badge tone={CHECK_TONES[check.status]}>{check.status}</Badge>
        </Dialog.Title>
        <Facts
          facts={[
            ["Found", check.message],
            ["What to do", check.fix ?? "nothing"],
            [
              "Check",
              <code key="id" className="font-mono text-small">
                {check.id}
              </code>,
            ],
          ]}
        />
        <div className="flex justify-end">
          <Dialog.Close render={<Button>Close</Button>} />
        </div>
      </Dialog.Popup>
    </Dialog.Portal>
  </Dialog.Root>
);
