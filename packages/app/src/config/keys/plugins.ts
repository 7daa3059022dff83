/** Keys of plugins of tools. */
import type { Key } from "../key.ts";

export const PLUGIN_KEYS = [
  {
    path: "plugins.*.settings",
    kind: { is: "map", of: { is: "any" } },
    secret: "named",
  },
] as const satisfies readonly Key[];
