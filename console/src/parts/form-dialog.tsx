import { Dialog } from "@base-ui/react/dialog";
import { type FormEvent, type ReactNode, useState } from "react";
import { ApiError } from "../api/call.ts";
import { type Change, useChange } from "../api/use-change.ts";
import { Button } from "./button.tsx";
import { tell } from "./toast.tsx";

type Given = (name: string) => string;

type Props = {
  title: string;
  lead?: ReactNode;
  /** What the button says that does it. */
  verb: string;
  danger?: boolean;
  /** What is said when it is done. */
  done: string;
  act: (change: Change, given: Given) => Promise<unknown>;
  onClose: () => void;
  /** Closed without having done it, where that differs. */
  onCancel?: () => void;
  /** The fields. A refusal that names one of them stands under it. */
  children: (problemOf: (field: string) => string | null) => ReactNode;
  fields?: readonly string[];
  disabled?: boolean;
};

/** Something to be filled in and done. It is open while it is on the page; what it changed is read again afterwards. */
export function FormDialog({
  title,
  lead,
  verb,
  danger = false,
  onClose,
  onCancel = onClose,
  children,
  disabled,
  ...rest
}: Props): ReactNode {
  const { send, busy, problemOf, rest: otherwise } = useAct({ ...rest, onClose });
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onCancel()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-ink/30" />
        <Dialog.Popup className="popup fixed inset-x-0 top-[10vh] z-40 mx-auto max-h-[84vh] w-[min(480px,calc(100vw-24px))] overflow-y-auto rounded-lg border border-line bg-raised p-5 shadow-float">
          <form onSubmit={send} className="flex flex-col gap-4">
            <div>
              <Dialog.Title className="text-title font-semibold">{title}</Dialog.Title>
              {lead !== undefined && <Dialog.Description className="text-ink-2">{lead}</Dialog.Description>}
            </div>
            {children(problemOf)}
            {otherwise !== null && (
              <p role="alert" className="rounded-sm bg-bad-soft px-2 py-1 text-small text-bad">
                {otherwise}
              </p>
            )}
            <div className="flex justify-end gap-2">
              <Button onClick={onCancel}>Cancel</Button>
              <Button look={danger ? "danger" : "primary"} type="submit" busy={busy} disabled={disabled}>
                {verb}
              </Button>
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function useAct({ act, done, onClose, fields = [] }: Pick<Props, "act" | "done" | "onClose" | "fields">) {
  const { change, reread } = useChange();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Error | null>(null);
  const param = failure instanceof ApiError ? failure.param : null;
  const run = async (given: Given): Promise<void> => {
    try {
      await act(change, given);
    } catch (error) {
      setFailure(error as Error);
      setBusy(false);
      await reread();
      return;
    }
    onClose();
    tell(done);
    await reread();
  };
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    void run((name) => String(form.get(name) ?? "").trim());
  };
  return {
    send,
    busy,
    problemOf: (field: string) => (param === field ? (failure?.message ?? null) : null),
    rest: failure !== null && !fields.includes(param ?? "") ? failure.message : null,
  };
}
