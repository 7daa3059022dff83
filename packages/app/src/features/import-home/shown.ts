/** As a person finds it: below the source, else absolute. */
import { relative, sep } from "node:path";
import { isInside } from "@margay/core/internal";
import type { Source } from "./source.ts";

export function shown(found: Source, path: string): string {
  const below = relative(found.root, path).split(sep).join("/");
  return below === "" || !isInside(found.root, path) ? path : below;
}
