import { Menu as Base } from "@base-ui/react/menu";
import type { ReactElement, ReactNode } from "react";
import { FLOATING } from "./floating.ts";
import { Icon, type IconName } from "./icon.tsx";

const ITEM =
  "flex h-8 w-full cursor-default items-center gap-2 rounded-sm px-2 outline-none select-none data-highlighted:bg-sunken";

type MenuProps = { trigger: ReactElement; children: ReactNode; defaultOpen?: boolean };

export const Menu = ({ trigger, children, defaultOpen = false }: MenuProps): ReactNode => (
  <Base.Root defaultOpen={defaultOpen}>
    <Base.Trigger render={trigger} />
    <Base.Portal>
      <Base.Positioner sideOffset={4} align="end" className="z-30">
        <Base.Popup className={`${FLOATING} min-w-48 p-1`}>{children}</Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
);

export const MenuItem = ({
  icon,
  onPick,
  children,
}: {
  icon: IconName;
  onPick: () => void;
  children: ReactNode;
}): ReactNode => (
  <Base.Item className={ITEM} onClick={onPick}>
    <Icon name={icon} />
    {children}
  </Base.Item>
);

type Choice = { value: string; name: string; icon?: IconName };

/** One of several, marked. */
export const MenuChoice = ({
  label,
  value,
  choices,
  onChoose,
}: {
  label: string;
  value: string;
  choices: readonly Choice[];
  onChoose: (value: string) => void;
}): ReactNode => (
  <Base.Group>
    <Base.GroupLabel className="px-2 py-1 text-small text-ink-3">{label}</Base.GroupLabel>
    <Base.RadioGroup value={value} onValueChange={(next: unknown) => onChoose(String(next))}>
      {choices.map((choice) => (
        <Base.RadioItem key={choice.value} value={choice.value} className={ITEM} closeOnClick>
          {choice.icon && <Icon name={choice.icon} />}
          <span className="flex-1">{choice.name}</span>
          <Base.RadioItemIndicator>
            <Icon name="check" />
          </Base.RadioItemIndicator>
        </Base.RadioItem>
      ))}
    </Base.RadioGroup>
  </Base.Group>
);

export const MenuLine = (): ReactNode => <Base.Separator className="my-1 h-px bg-line" />;
