import { Dialog } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import { Navigation } from "./navigation.tsx";
import type { OwnPage } from "../routes/page.ts";

type Props = { pages: readonly OwnPage[]; open: boolean; onOpenChange: (open: boolean) => void };

/** The navigation where there is no room for it beside the page. */
export const NavigationDrawer = ({ pages, ...props }: Props): ReactNode => (
  <Dialog.Root {...props}>
    <Dialog.Portal>
      <Dialog.Backdrop className="fixed inset-0 z-30 bg-veil" />
      <Dialog.Popup
        aria-label="Pages"
        className="fixed inset-y-0 left-0 z-40 w-64 border-r border-line bg-paper shadow-float"
      >
        <Navigation pages={pages} onPick={() => props.onOpenChange(false)} />
      </Dialog.Popup>
    </Dialog.Portal>
  </Dialog.Root>
);
