import { lazy, type ReactNode, Suspense, useState } from "react";
import { UserButton } from "./user-button.tsx";

const OpenedUserMenu = lazy(async () => ({ default: (await import("./opened-user-menu.tsx")).OpenedUserMenu }));

/** Who is signed in, which theme, their profile and the way out. The menu is loaded when it is first opened. */
export function UserMenu({
  actor,
  ...picks
}: {
  actor: string;
  onProfile?: () => void;
  onSignOut: () => void;
}): ReactNode {
  const [opened, setOpened] = useState(false);
  const button = <UserButton actor={actor} aria-expanded={opened} onClick={() => setOpened(true)} />;
  if (!opened) return button;
  return (
    <Suspense fallback={button}>
      <OpenedUserMenu actor={actor} {...picks} />
    </Suspense>
  );
}
