import { type ReactNode, useState } from "react";
import type { Person } from "../../api/generated/admin.ts";
import { Button } from "../../parts/button.tsx";
import { Menu, MenuItem, MenuLine } from "../../parts/menu.tsx";
import { useMay } from "../../shell/may.ts";
import { useOwnsEverything } from "./add-person-dialog.tsx";
import { ChangePersonDialog, EndSessionsDialog, RemovePersonDialog, ResetPasswordDialog } from "./person-dialogs.tsx";

type Open = "change" | "password" | "sessions" | "remove" | null;

/** What the reader may do with a person. */
export function PersonActions({ of: person }: { of: Person }): ReactNode {
  const may = useMay();
  const ownsEverything = useOwnsEverything();
  const [open, setOpen] = useState<Open>(null);
  const close = (): void => setOpen(null);
  if (!may("updatePerson")) return null;
  return (
    <>
      {ownsEverything && <Button onClick={() => setOpen("password")}>Reset the password</Button>}
      <Menu trigger={<Button icon="down">More</Button>}>
        <MenuItem icon="settings" onPick={() => setOpen("change")}>
          Change name, email or account
        </MenuItem>
        <MenuItem icon="leave" onPick={() => setOpen("sessions")}>
          Sign them out of this console
        </MenuItem>
        <MenuLine />
        <MenuItem icon="close" onPick={() => setOpen("remove")}>
          Remove…
        </MenuItem>
      </Menu>
      {open === "change" && <ChangePersonDialog of={person} onClose={close} />}
      {open === "password" && <ResetPasswordDialog of={person} onClose={close} />}
      {open === "sessions" && <EndSessionsDialog of={person} onClose={close} />}
      {open === "remove" && <RemovePersonDialog of={person} onClose={close} />}
    </>
  );
}
