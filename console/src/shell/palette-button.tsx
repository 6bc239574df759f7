import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { Button } from "../parts/button.tsx";
import type { CommandParts } from "./commands.ts";

const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));
const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** The way to the palette, which is fetched when it is first opened: this button, Ctrl K or ⌘K. */
export function PaletteButton(of: CommandParts): ReactNode {
  const [open, setOpen] = useState<boolean | null>(null);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setOpen((before) => before !== true);
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
  return (
    <>
      <Button
        look="quiet"
        icon="search"
        onClick={() => setOpen(true)}
        aria-keyshortcuts="Control+K Meta+K"
        className="px-2!"
      >
        <span className="sr-only">Find a page or an action</span>
        <kbd className="hidden rounded-sm border border-line px-1 font-sans text-fine text-ink-3 md:inline">
          {isMac ? "⌘K" : "Ctrl K"}
        </kbd>
      </Button>
      {open !== null && (
        <Suspense>
          <Palette {...of} open={open} onOpenChange={setOpen} />
        </Suspense>
      )}
    </>
  );
}
