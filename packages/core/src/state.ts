/** `@margay/core/state`: contract types and the fold; runs in a browser. */
export { createView, type SessionView } from "./view/view.ts";
export type { Item } from "./view/types.ts";
