import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Icon } from "../parts/icon.tsx";
import { Brand } from "./brand.tsx";
import type { OwnPage } from "../routes/page.ts";

const LINK =
  "flex h-8 items-center gap-2.5 rounded-md px-2.5 text-ink-2 hover:bg-sunken hover:text-ink pointer-coarse:h-10";

const isListed = ({ once, group }: OwnPage): boolean => once !== true && group !== null;

/** The pages by what one comes for. */
export const Navigation = ({ pages, onPick }: { pages: readonly OwnPage[]; onPick?: () => void }): ReactNode => (
  <nav aria-label="Pages" className="flex h-full flex-col gap-4 overflow-y-auto px-3 py-3">
    <Brand />
    {[...Map.groupBy(pages.filter(isListed), ({ group }) => group)].map(([group, listed]) => (
      <div key={group}>
        <h2 className="px-2.5 pb-1 text-small text-ink-3">{group}</h2>
        <ul className="flex flex-col gap-px">
          {listed.map(({ path, title, icon }) => (
            <li key={path}>
              <Link
                to={path}
                onClick={onPick}
                className={LINK}
                activeOptions={{ exact: path === "/", includeSearch: false }}
                activeProps={{ className: "bg-accent-soft font-medium text-accent!", "aria-current": "page" }}
              >
                <Icon name={icon} />
                {title}
              </Link>
            </li>
          ))}
        </ul>
      </div>
    ))}
  </nav>
);
