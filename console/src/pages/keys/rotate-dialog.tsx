import { Dialog } from "@base-ui/react/dialog";
import { type ReactNode, useState } from "react";
import type { Key } from "../../api/generated/admin.ts";
import { DAY_MS, HOUR_MS } from "../../format/time.ts";
import { SelectField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { RevealedSecret } from "./revealed-secret.tsx";

const OVERLAPS = [
  { value: "0", name: "stops at once" },
  { value: String(HOUR_MS), name: "works for another hour" },
  { value: String(DAY_MS), name: "works for another day" },
  { value: String(7 * DAY_MS), name: "works for another week" },
];

/** Asks how long the old secret works, then shows the new one once. */
export function RotateDialog({ of: key, onClose }: { of: Key; onClose: () => void }): ReactNode {
  const [secret, setSecret] = useState<string | null>(null);
  if (secret !== null)
    return (
      <Dialog.Root open onOpenChange={(open, { reason }) => !open && reason === "close-press" && onClose()}>
        <Dialog.Portal>
          <Dialog.Backdrop className="fixed inset-0 z-30 bg-ink/30" />
          <Dialog.Popup className="fixed inset-x-0 top-[6vh] z-40 mx-auto max-h-[88vh] w-[min(720px,calc(100vw-24px))] overflow-y-auto rounded-lg border border-line bg-raised p-5 shadow-float">
            <Dialog.Title className="mb-3 text-title font-semibold">
              The new secret of {key.label ?? `${key.prefix}…`}
            </Dialog.Title>
            <RevealedSecret secret={secret} of={key} onSaved={onClose} />
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
    );
  return (
    <FormDialog
      title={`Rotate ${key.label ?? `${key.prefix}…`}`}
      lead="The key gets a new secret and keeps its balance, limits and label."
      verb="Make a new secret"
      done="The key has a new secret"
      onClose={() => {}}
      onCancel={onClose}
      act={async (change, given) => {
        const made = await change("POST /admin/v1/keys/{key}/rotate", {
          params: { key: key.id },
          body: { overlap_ms: Number(given("overlap")) },
        });
        setSecret(made.secret);
      }}
    >
      {() => (
        <SelectField label="The old secret" name="overlap" options={OVERLAPS} defaultValue={String(DAY_MS)} autoFocus />
      )}
    </FormDialog>
  );
}
