import { type ReactNode, useState } from "react";
import type { Key } from "../../api/generated/admin.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import type { IconName } from "../../parts/icon.tsx";

export type StatusChange = "suspend" | "resume" | "disable" | "enable";

export const STATUS_CHANGES: Record<StatusChange, { verb: string; done: string; lead: string; icon: IconName }> = {
  suspend: {
    verb: "Suspend",
    done: "The key is suspended",
    lead: "Its clients get 401 until you resume it. Its credit stays where it is.",
    icon: "clock",
  },
  resume: { verb: "Resume", done: "The key works again", lead: "Its clients can send requests again.", icon: "retry" },
  disable: {
    verb: "Disable",
    done: "The key is disabled",
    lead: "Its clients get 403 key_disabled until you enable it, so they know that the key is right.",
    icon: "warn",
  },
  enable: { verb: "Enable", done: "The key works again", lead: "Its clients can send requests again.", icon: "retry" },
};

const nameOf = ({ label, prefix }: Key): string => label ?? `${prefix}…`;

type Props = { of: Key; onClose: () => void };

export const StatusDialog = ({ of: key, change: kind, onClose }: Props & { change: StatusChange }): ReactNode => {
  const { verb, done, lead } = STATUS_CHANGES[kind];
  return (
    <FormDialog
      title={`${verb} ${nameOf(key)}?`}
      lead={lead}
      verb={verb}
      done={done}
      onClose={onClose}
      act={(change) => change(`POST /admin/v1/keys/{key}/${kind}`, { params: { key: key.id } })}
    >
      {() => null}
    </FormDialog>
  );
};

/** It cannot be undone, so its name is typed first. */
export function RevokeDialog({ of: key, onClose }: Props): ReactNode {
  const [typed, setTyped] = useState("");
  const name = key.label ?? key.prefix;
  return (
    <FormDialog
      title={`Revoke ${nameOf(key)}?`}
      lead="All its secrets stop working at once, and for good. To stop it for a while, suspend it."
      verb="Revoke this key"
      danger
      disabled={typed !== name}
      done="The key is revoked"
      onClose={onClose}
      act={(change) => change("POST /admin/v1/keys/{key}/revoke", { params: { key: key.id } })}
    >
      {() => (
        <Field
          label={`Type “${name}” to confirm`}
          name="name"
          autoComplete="off"
          spellCheck={false}
          autoFocus
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      )}
    </FormDialog>
  );
}
