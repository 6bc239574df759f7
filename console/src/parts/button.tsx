import type { ComponentProps, ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";
import { Tip } from "./tip.tsx";

type Look = "primary" | "plain" | "quiet" | "danger";

const LOOKS: Record<Look, string> = {
  primary: "bg-accent text-accent-ink hover:opacity-90",
  plain: "border border-edge/60 bg-surface text-ink hover:bg-sunken",
  quiet: "text-ink-2 hover:bg-sunken hover:text-ink",
  danger: "border border-bad text-bad hover:bg-bad-soft",
};

const SHAPE =
  "inline-flex h-(--control) shrink-0 items-center justify-center gap-1.5 rounded-md text-body font-medium whitespace-nowrap transition-colors duration-(--quick) disabled:opacity-50";

type Props = ComponentProps<"button"> & { look?: Look; icon?: IconName; busy?: boolean };

export const Button = ({ look = "plain", icon, busy = false, children, className = "", ...rest }: Props): ReactNode => (
  <button
    type="button"
    aria-busy={busy}
    {...rest}
    disabled={rest.disabled === true || busy}
    className={`${SHAPE} px-3 ${LOOKS[look]} ${className}`}
  >
    {icon && <Icon name={icon} />}
    {children}
  </button>
);

/** A button without a word, whose word is its name and its tip. */
export const IconButton = ({
  label,
  icon,
  className = "",
  ...rest
}: ComponentProps<"button"> & { label: string; icon: IconName }): ReactNode => (
  <Tip text={label}>
    <button type="button" aria-label={label} {...rest} className={`${SHAPE} w-(--control) ${LOOKS.quiet} ${className}`}>
      <Icon name={icon} />
    </button>
  </Tip>
);
