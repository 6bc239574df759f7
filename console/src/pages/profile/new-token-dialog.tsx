import { Dialog } from "@base-ui/react/dialog";
import { type ReactNode, useState } from "react";
import type { PersonalToken } from "../../api/generated/admin.ts";
import { saveFile } from "../../format/csv.ts";
import { Button } from "../../parts/button.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { Field, SelectField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Note } from "../../parts/state.tsx";
import { AccountField } from "../accounts/account-field.tsx";
import { ROLE_WORDS, ROLES } from "../people/roles-text.tsx";

const DAYS = [7, 30, 90, 180, 365].map((days) => ({ value: String(days), name: `${days} days` }));
const NARROWED = [
  { value: "", name: "all that I may do" },
  ...ROLES.map((value) => ({ value, name: `${value}: ${ROLE_WORDS[value]}` })),
];

/** Asks what it is for, then shows the secret once. */
export function NewTokenDialog({ onClose }: { onClose: () => void }): ReactNode {
  const [secret, setSecret] = useState<string | null>(null);
  if (secret !== null) return <RevealedToken secret={secret} onClose={onClose} />;
  return (
    <FormDialog
      title="New personal token"
      lead="A program that sends it acts as you, and is named so in the audit log."
      verb="Make the token"
      done="The token is made"
      fields={["name", "role", "account", "days"]}
      onClose={() => {}}
      onCancel={onClose}
      act={async (change, given) => {
        const made = await change("POST /admin/v1/tokens", {
          body: {
            name: given("name"),
            role: (given("role") || null) as PersonalToken["role"],
            account: given("account") || null,
            days: Number(given("days")),
          },
        });
        setSecret(made.secret);
      }}
    >
      {(problemOf) => (
        <>
          <Field label="What it is for" name="name" required autoFocus maxLength={200} problem={problemOf("name")} />
          <SelectField label="Allows" name="role" options={NARROWED} problem={problemOf("role")} />
          <div className="grid gap-4 sm:grid-cols-2">
            <AccountField
              label="Where"
              name="account"
              none="wherever I may"
              usual={null}
              problem={problemOf("account")}
            />
            <SelectField label="Works for" name="days" options={DAYS} defaultValue="90" problem={problemOf("days")} />
          </div>
        </>
      )}
    </FormDialog>
  );
}

/** In no answer after this one; closed by its button alone. */
const RevealedToken = ({ secret, onClose }: { secret: string; onClose: () => void }): ReactNode => (
  <Dialog.Root open onOpenChange={(open, { reason }) => !open && reason === "close-press" && onClose()}>
    <Dialog.Portal>
      <Dialog.Backdrop className="fixed inset-0 z-30 bg-ink/30" />
      <Dialog.Popup className="fixed inset-x-0 top-[10vh] z-40 mx-auto flex w-[min(560px,calc(100vw-24px))] flex-col gap-3 rounded-lg border border-line bg-raised p-5 shadow-float">
        <Dialog.Title className="text-title font-semibold">Your new token</Dialog.Title>
        <Note icon="warn">Save this secret now; it won’t be shown again.</Note>
        <div className="flex flex-wrap items-center gap-2">
          <CopyText text={secret} />
          <Button icon="download" onClick={() => saveFile("tollgate.env", envOf(secret), "text/plain")}>
            Save as .env
          </Button>
        </div>
        <p className="text-ink-2">Commands act as you with these variables:</p>
        <pre className="rounded-md bg-sunken p-3 font-mono text-small wrap-anywhere whitespace-pre-wrap">
          {`export TOLLGATE_URL=${location.origin}\nread -rs TOLLGATE_TOKEN && export TOLLGATE_TOKEN\ntollgate whoami`}
        </pre>
        <div className="flex justify-end">
          <Dialog.Close render={<Button look="primary">I have saved it</Button>} />
        </div>
      </Dialog.Popup>
    </Dialog.Portal>
  </Dialog.Root>
);

const envOf = (secret: string): string => `TOLLGATE_URL=${location.origin}\nTOLLGATE_TOKEN=${secret}\n`;
