/** How everything that floats above the page looks. */
export const FLOATING = "popup rounded-md border border-line bg-raised shadow-float outline-none";
