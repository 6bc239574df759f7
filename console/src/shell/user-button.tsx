import type { ComponentProps, ReactNode } from "react";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";

type Props = ComponentProps<typeof Button> & { actor: string };

/** Who is signed in. */
export const UserButton = ({ actor, ...rest }: Props): ReactNode => (
  <Button look="quiet" className="max-w-48 px-2!" aria-haspopup="menu" {...rest}>
    <span
      aria-hidden="true"
      className="flex size-5 items-center justify-center rounded-full bg-accent-soft text-fine font-semibold text-accent uppercase"
    >
      {actor.slice(0, 1)}
    </span>
    <span className="sr-only">You:</span>
    <span className="truncate not-md:sr-only">{actor}</span>
    <Icon name="down" size={14} />
  </Button>
);
