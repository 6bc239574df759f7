import { AlertDialog } from "@base-ui/react/alert-dialog";
import { type ReactNode, useState } from "react";
import { call } from "../../api/call.ts";
import type { LiveRequest } from "../../api/generated/admin.ts";
import { Button } from "../../parts/button.tsx";
import { tell, tellFailure } from "../../parts/toast.tsx";
import { burnOf } from "./live-columns.tsx";

type Props = { request: LiveRequest | null; onClose: () => void };

/** Asks before a request is cancelled, and says what its client pays. */
export function CancelDialog({ request, onClose }: Props): ReactNode {
  const [isBusy, setBusy] = useState(false);
  const cancel = async (id: string): Promise<void> => {
    setBusy(true);
    try {
      await call("POST /admin/v1/live/{request}/cancel", { params: { request: id } });
      tell("Cancelled", `${id} ends now. Its client is told so.`);
    } catch (error) {
      tellFailure(error as Error);
    } finally {
      setBusy(false);
      onClose();
    }
  };
  return (
    <AlertDialog.Root open={request !== null} onOpenChange={(open) => !open && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="fixed inset-0 z-30 bg-ink/25" />
        <AlertDialog.Popup className="popup fixed inset-x-0 top-[20vh] z-40 mx-auto w-[min(440px,calc(100vw-24px))] rounded-lg border border-line bg-raised p-4 shadow-float">
          <AlertDialog.Title className="text-title font-semibold">Cancel this request?</AlertDialog.Title>
          {request !== null && <Consequence request={request} />}
          <div className="mt-4 flex justify-end gap-2">
            <AlertDialog.Close render={<Button>Let it run</Button>} />
            <Button look="danger" busy={isBusy} onClick={() => request && void cancel(request.request_id)}>
              Cancel the request
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

function Consequence({ request }: { request: LiveRequest }): ReactNode {
  const { unit, held, produced } = burnOf(request);
  return (
    <AlertDialog.Description className="mt-1 text-ink-2">
      <code className="font-mono text-small wrap-anywhere text-ink">{request.request_id}</code> of{" "}
      {request.key_label ?? request.key_prefix}, for {request.model}. Its client is told so and pays for the output
      delivered: about {unit.show(produced)} of the {unit.show(held)} {unit.name} held, so far.
    </AlertDialog.Description>
  );
}
