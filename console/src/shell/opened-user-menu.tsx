import type { ReactNode } from "react";
import { Menu, MenuChoice, MenuItem, MenuLine } from "../parts/menu.tsx";
import { chooseTheme, type Theme, useTheme } from "./theme.ts";
import { UserButton } from "./user-button.tsx";

const THEMES = [
  { value: "system", name: "As the system", icon: "screen" },
  { value: "light", name: "Light", icon: "sun" },
  { value: "dark", name: "Dark", icon: "moon" },
] as const;

/** The menu from its first opening on. */
export const OpenedUserMenu = ({
  actor,
  onProfile,
  onSignOut,
}: {
  actor: string;
  onProfile?: () => void;
  onSignOut: () => void;
}): ReactNode => (
  <Menu defaultOpen trigger={<UserButton actor={actor} />}>
    <p className="truncate px-2 py-1 text-small text-ink-3 md:hidden">{actor}</p>
    <MenuChoice label="Theme" value={useTheme()} choices={THEMES} onChoose={(theme) => chooseTheme(theme as Theme)} />
    <MenuLine />
    {onProfile && (
      <MenuItem icon="people" onPick={onProfile}>
        Your profile
      </MenuItem>
    )}
    <MenuItem icon="leave" onPick={onSignOut}>
      Sign out
    </MenuItem>
  </Menu>
);
